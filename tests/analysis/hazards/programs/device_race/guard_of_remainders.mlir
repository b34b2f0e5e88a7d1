// Both kernels write the elements of even number.
#par = affine_set<(d0) : (d0 mod 2 == 0)>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      affine.if #par(%i) {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      affine.if #par(%i) {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 64 : index
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
#par = affine_set<(d0) : (d0 mod 2 == 0)>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      affine.if #par(%i) {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      affine.if #par(%i) {
      } else {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
