// The same memory through expand_shape.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @mat(%x: memref<8x8xf32>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%z, %i] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant 2.0 : f32
    %m = memref.expand_shape %x [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
    %t0 = gpu.wait async
    %a = gpu.memset async [%t0] %x, %f : memref<64xf32>, f32
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the gpu.memset that writes it may still be running.}}
    %b = gpu.launch_func async @k::@mat blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%m : memref<8x8xf32>)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @mat(%x: memref<8x8xf32>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%z, %i] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant 2.0 : f32
    %m = memref.expand_shape %x [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
    %t0 = gpu.wait async
    %a = gpu.memset async [%t0] %x, %f : memref<64xf32>, f32
    %b = gpu.launch_func async [%a] @k::@mat blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%m : memref<8x8xf32>)
    gpu.wait [%b]
    return
  }
}
