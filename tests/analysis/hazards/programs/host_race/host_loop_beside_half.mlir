// The host's loop comes to the first element that the kernel writes.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %p[%i] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %p[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @upper(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %j = arith.addi %i, %c32 : index
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
    gpu.func @add(%o: memref<64xf32>, %a: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %o[%i] : memref<64xf32>
      %z = memref.load %a[%i] : memref<64xf32>
      %y = arith.addf %x, %z : f32
      memref.store %y, %o[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c33 = arith.constant 33 : index
    %z = arith.constant 0.0 : f32
    %s = gpu.wait async
    %k = gpu.launch_func async [%s] @kernels::@upper blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>)
    %sum = scf.for %i = %c0 to %c33 step %c1 iter_args(%acc = %z) -> (f32) {
      // expected-warning @+1 {{GA302: The host reads %p while the gpu.launch_func that writes it may still be running.}}
      %x = memref.load %p[%i] : memref<64xf32>
      %n = arith.addf %acc, %x : f32
      scf.yield %n : f32
    }
    gpu.wait [%k]
    return %sum : f32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %p[%i] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %p[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @upper(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %j = arith.addi %i, %c32 : index
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
    gpu.func @add(%o: memref<64xf32>, %a: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %o[%i] : memref<64xf32>
      %z = memref.load %a[%i] : memref<64xf32>
      %y = arith.addf %x, %z : f32
      memref.store %y, %o[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c33 = arith.constant 33 : index
    %z = arith.constant 0.0 : f32
    %s = gpu.wait async
    %k = gpu.launch_func async [%s] @kernels::@upper blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>)
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%acc = %z) -> (f32) {
      %x = memref.load %p[%i] : memref<64xf32>
      %n = arith.addf %acc, %x : f32
      scf.yield %n : f32
    }
    gpu.wait [%k]
    return %sum : f32
  }
}
