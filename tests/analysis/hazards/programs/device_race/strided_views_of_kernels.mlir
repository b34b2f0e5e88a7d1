// Every fourth element, and every second one behind the second.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[0] [16] [4] : memref<64xf32> to memref<16xf32, strided<[4]>>
      memref.store %v, %s[%i] : memref<16xf32, strided<[4]>>
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[2] [16] [2] : memref<64xf32> to memref<16xf32, strided<[2], offset: 2>>
      memref.store %v, %s[%i] : memref<16xf32, strided<[2], offset: 2>>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 16 : index
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
      %s = memref.subview %p[0] [16] [4] : memref<64xf32> to memref<16xf32, strided<[4]>>
      memref.store %v, %s[%i] : memref<16xf32, strided<[4]>>
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[2] [16] [4] : memref<64xf32> to memref<16xf32, strided<[4], offset: 2>>
      memref.store %v, %s[%i] : memref<16xf32, strided<[4], offset: 2>>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 16 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
