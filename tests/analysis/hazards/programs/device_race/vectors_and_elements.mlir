// Elements begin within the last of the vectors.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant dense<1.0> : vector<4xf32>
      %i = gpu.thread_id x
      %c4 = arith.constant 4 : index
      %j = arith.muli %i, %c4 : index
      vector.store %v, %p[%j] : memref<64xf32>, vector<4xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c29 = arith.constant 29 : index
      %c32 = arith.constant 32 : index
      %j = arith.addi %i, %c29 : index
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 8 : index
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
      %v = arith.constant dense<1.0> : vector<4xf32>
      %i = gpu.thread_id x
      %c4 = arith.constant 4 : index
      %j = arith.muli %i, %c4 : index
      vector.store %v, %p[%j] : memref<64xf32>, vector<4xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c29 = arith.constant 29 : index
      %c32 = arith.constant 32 : index
      %j = arith.addi %i, %c32 : index
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 8 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
