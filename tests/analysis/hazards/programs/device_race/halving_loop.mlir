// A loop that halves its bound begins one too high.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %s0 = arith.constant 17 : index
      %r = scf.while (%s = %s0) : (index) -> index {
        %g = arith.cmpi ugt, %s, %c1 : index
        scf.condition(%g) %s : index
      } do {
      ^bb0(%s: index):
        %g = arith.cmpi ult, %i, %s : index
        scf.if %g {
          memref.store %v, %p[%i] : memref<64xf32>
        }
        %n = arith.divui %s, %c2 : index
        scf.yield %n : index
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c16 = arith.constant 16 : index
      %j = arith.addi %i, %c16 : index
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that writes it may still be running.}}
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %s0 = arith.constant 16 : index
      %r = scf.while (%s = %s0) : (index) -> index {
        %g = arith.cmpi ugt, %s, %c1 : index
        scf.condition(%g) %s : index
      } do {
      ^bb0(%s: index):
        %g = arith.cmpi ult, %i, %s : index
        scf.if %g {
          memref.store %v, %p[%i] : memref<64xf32>
        }
        %n = arith.divui %s, %c2 : index
        scf.yield %n : index
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c16 = arith.constant 16 : index
      %j = arith.addi %i, %c16 : index
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
