// An affine loop of the host, through a view that begins in the lower half and ends in the upper.
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
  func.func @main(%p: memref<64xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %r = memref.reinterpret_cast %p to offset: [24], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 24>>
    %s = gpu.wait async
    %k = gpu.launch_func async [%s] @kernels::@upper blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>)
    affine.for %i = 0 to 32 {
      // expected-warning @+1 {{GA302: The host writes %p while the gpu.launch_func that writes it may still be running.}}
      affine.store %v, %r[%i] : memref<32xf32, strided<[1], offset: 24>>
    }
    gpu.wait [%k]
    return
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
  func.func @main(%p: memref<64xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %r = memref.reinterpret_cast %p to offset: [0], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 0>>
    %s = gpu.wait async
    %k = gpu.launch_func async [%s] @kernels::@upper blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>)
    affine.for %i = 0 to 32 {
      affine.store %v, %r[%i] : memref<32xf32, strided<[1], offset: 0>>
    }
    gpu.wait [%k]
    return
  }
}
