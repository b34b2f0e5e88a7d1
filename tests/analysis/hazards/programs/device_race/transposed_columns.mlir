// Two parts of a transposed matrix share a column.
module attributes {gpu.container_module} {
  gpu.module @k2 {
    gpu.func @st(%x: memref<16x4xf32, strided<[1, 16], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      memref.store %v, %x[%i, %j] : memref<16x4xf32, strided<[1, 16], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<16x16xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %f = arith.constant 1.0 : f32

    %c16 = arith.constant 16 : index
    %t = memref.transpose %x (i, j) -> (j, i) : memref<16x16xf32> to memref<16x16xf32, strided<[1, 16]>>
    %v0 = memref.subview %t[0, 0] [16, 4] [1, 1] : memref<16x16xf32, strided<[1, 16]>> to memref<16x4xf32, strided<[1, 16]>>
    %v1 = memref.subview %t[0, 3] [16, 4] [1, 1] : memref<16x16xf32, strided<[1, 16]>> to memref<16x4xf32, strided<[1, 16], offset: 48>>
    %d0 = memref.cast %v0 : memref<16x4xf32, strided<[1, 16]>> to memref<16x4xf32, strided<[1, 16], offset: ?>>
    %d1 = memref.cast %v1 : memref<16x4xf32, strided<[1, 16], offset: 48>> to memref<16x4xf32, strided<[1, 16], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k2::@st blocks in (%c1, %c1, %c1) threads in (%c16, %c4, %c1) args(%d0 : memref<16x4xf32, strided<[1, 16], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%s1] @k2::@st blocks in (%c1, %c1, %c1) threads in (%c16, %c4, %c1) args(%d1 : memref<16x4xf32, strided<[1, 16], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k2 {
    gpu.func @st(%x: memref<16x4xf32, strided<[1, 16], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      memref.store %v, %x[%i, %j] : memref<16x4xf32, strided<[1, 16], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<16x16xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %f = arith.constant 1.0 : f32

    %c16 = arith.constant 16 : index
    %t = memref.transpose %x (i, j) -> (j, i) : memref<16x16xf32> to memref<16x16xf32, strided<[1, 16]>>
    %v0 = memref.subview %t[0, 0] [16, 4] [1, 1] : memref<16x16xf32, strided<[1, 16]>> to memref<16x4xf32, strided<[1, 16]>>
    %v1 = memref.subview %t[0, 4] [16, 4] [1, 1] : memref<16x16xf32, strided<[1, 16]>> to memref<16x4xf32, strided<[1, 16], offset: 64>>
    %d0 = memref.cast %v0 : memref<16x4xf32, strided<[1, 16]>> to memref<16x4xf32, strided<[1, 16], offset: ?>>
    %d1 = memref.cast %v1 : memref<16x4xf32, strided<[1, 16], offset: 64>> to memref<16x4xf32, strided<[1, 16], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k2::@st blocks in (%c1, %c1, %c1) threads in (%c16, %c4, %c1) args(%d0 : memref<16x4xf32, strided<[1, 16], offset: ?>>, %f : f32)
    %b = gpu.launch_func async [%s1] @k2::@st blocks in (%c1, %c1, %c1) threads in (%c16, %c4, %c1) args(%d1 : memref<16x4xf32, strided<[1, 16], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
