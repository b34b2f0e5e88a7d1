// A column and a row of one matrix have an element in common.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[0, 3] [8, 1] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[8], offset: 3>>
      memref.store %v, %s[%i] : memref<8xf32, strided<[8], offset: 3>>
      gpu.return
    }
    gpu.func @hi(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[5, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: 40>>
      memref.store %v, %s[%i] : memref<8xf32, strided<[1], offset: 40>>
      gpu.return
    }
  }
  func.func @main(%p: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 8 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that writes it may still be running.}}
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[0, 3] [8, 1] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[8], offset: 3>>
      memref.store %v, %s[%i] : memref<8xf32, strided<[8], offset: 3>>
      gpu.return
    }
    gpu.func @hi(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[0, 5] [8, 1] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[8], offset: 5>>
      memref.store %v, %s[%i] : memref<8xf32, strided<[8], offset: 5>>
      gpu.return
    }
  }
  func.func @main(%p: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 8 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
