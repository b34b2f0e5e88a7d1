// The host stores into the corner of a cube that a kernel fills.
module attributes {gpu.container_module} {
  gpu.module @k3 {
    gpu.func @t(%x: memref<4x4x4xf32, strided<[64, 8, 1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      %k = gpu.thread_id z
      memref.store %v, %x[%i, %j, %k] : memref<4x4x4xf32, strided<[64, 8, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %f = arith.constant 1.0 : f32

    %c5 = arith.constant 3 : index
    %v = memref.subview %x[0, 0, 0] [4, 4, 4] [1, 1, 1] : memref<8x8x8xf32> to memref<4x4x4xf32, strided<[64, 8, 1]>>
    %d = memref.cast %v : memref<4x4x4xf32, strided<[64, 8, 1]>> to memref<4x4x4xf32, strided<[64, 8, 1], offset: ?>>
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k3::@t blocks in (%c1, %c1, %c1) threads in (%c4, %c4, %c4) args(%d : memref<4x4x4xf32, strided<[64, 8, 1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA302: The host writes %x while the gpu.launch_func that writes it may still be running.}}
    memref.store %f, %x[%c1, %c5, %c2] : memref<8x8x8xf32>
    gpu.wait [%a]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k3 {
    gpu.func @t(%x: memref<4x4x4xf32, strided<[64, 8, 1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      %k = gpu.thread_id z
      memref.store %v, %x[%i, %j, %k] : memref<4x4x4xf32, strided<[64, 8, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %f = arith.constant 1.0 : f32

    %c5 = arith.constant 5 : index
    %v = memref.subview %x[0, 0, 0] [4, 4, 4] [1, 1, 1] : memref<8x8x8xf32> to memref<4x4x4xf32, strided<[64, 8, 1]>>
    %d = memref.cast %v : memref<4x4x4xf32, strided<[64, 8, 1]>> to memref<4x4x4xf32, strided<[64, 8, 1], offset: ?>>
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k3::@t blocks in (%c1, %c1, %c1) threads in (%c4, %c4, %c4) args(%d : memref<4x4x4xf32, strided<[64, 8, 1], offset: ?>>, %f : f32)
    memref.store %f, %x[%c1, %c5, %c2] : memref<8x8x8xf32>
    gpu.wait [%a]
    return
  }
}
