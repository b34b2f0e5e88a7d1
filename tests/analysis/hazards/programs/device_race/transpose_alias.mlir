// The transposed view is the same memory.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @mat(%x: memref<8x8xf32>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%z, %i] : memref<8x8xf32>
      gpu.return
    }
    gpu.func @tr(%x: memref<8x8xf32, strided<[1, 8]>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i, %z] : memref<8x8xf32, strided<[1, 8]>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %v = memref.transpose %x (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
    %a = gpu.launch_func async @k::@tr blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%v : memref<8x8xf32, strided<[1, 8]>>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async @k::@mat blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8x8xf32>)
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
    gpu.func @tr(%x: memref<8x8xf32, strided<[1, 8]>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i, %z] : memref<8x8xf32, strided<[1, 8]>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %v = memref.transpose %x (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
    %a = gpu.launch_func async @k::@tr blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%v : memref<8x8xf32, strided<[1, 8]>>)
    gpu.wait [%a]
    %b = gpu.launch_func async @k::@mat blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8x8xf32>)
    gpu.wait [%b]
    return
  }
}
