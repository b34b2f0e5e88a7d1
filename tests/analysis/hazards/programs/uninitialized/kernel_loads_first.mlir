// A kernel adds to what it is given, which nothing has set.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @add(%x: memref<64xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1.0 : f32
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %v = memref.load %x[%i] : memref<64xf32>
        %w = arith.addf %v, %one : f32
        memref.store %w, %x[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @own(%x: memref<64xf32>) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<64xf32>
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    // expected-warning @+1 {{GA305: This gpu.launch_func reads %p, which nothing has written.}}
    %t1 = gpu.launch_func async [%t0] @k::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>, %n : index)
    %t2 = gpu.memcpy async [%t1] %h, %p : memref<64xf32>, memref<64xf32>
    %t3 = gpu.dealloc async [%t2] %p : memref<64xf32>
    gpu.wait [%t3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @add(%x: memref<64xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1.0 : f32
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %v = memref.load %x[%i] : memref<64xf32>
        %w = arith.addf %v, %one : f32
        memref.store %w, %x[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @own(%x: memref<64xf32>) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<64xf32>
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %u = gpu.launch_func async [%t0] @k::@own blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>)
    %t1 = gpu.launch_func async [%u] @k::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>, %n : index)
    %t2 = gpu.memcpy async [%t1] %h, %p : memref<64xf32>, memref<64xf32>
    %t3 = gpu.dealloc async [%t2] %p : memref<64xf32>
    gpu.wait [%t3]
    return
  }
}
