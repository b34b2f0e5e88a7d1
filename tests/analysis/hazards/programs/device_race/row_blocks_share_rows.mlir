// Blocks of sixteen rows of unknown length, eight rows apart.
// row blocks of a matrix with unknown columns, as IREE's dispatch workloads cut them
module attributes {gpu.container_module} {
  func.func @rows(%m: memref<?x?xf32>, %cols: index) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %v = arith.constant 1.0 : f32
    %top = memref.subview %m[0, 0] [16, %cols] [1, 1] : memref<?x?xf32> to memref<16x?xf32, strided<[?, 1]>>
    %t = memref.cast %top : memref<16x?xf32, strided<[?, 1]>> to memref<16x?xf32, strided<[?, 1], offset: ?>>
    %bot = memref.subview %m[8, 0] [16, %cols] [1, 1] : memref<?x?xf32> to memref<16x?xf32, strided<[?, 1], offset: ?>>
    %a0 = gpu.wait async
    %b0 = gpu.wait async
    %a1 = gpu.launch_func async [%a0] @k::@rows blocks in (%c16, %c1, %c1) threads in (%cols, %c1, %c1) args(%v : f32, %t : memref<16x?xf32, strided<[?, 1], offset: ?>>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %b1 = gpu.launch_func async [%b0] @k::@rows blocks in (%c16, %c1, %c1) threads in (%cols, %c1, %c1) args(%v : f32, %bot : memref<16x?xf32, strided<[?, 1], offset: ?>>)
    gpu.wait [%a1]
    gpu.wait [%b1]
    return
  }
  gpu.module @k {
    gpu.func @rows(%v: f32, %d: memref<16x?xf32, strided<[?, 1], offset: ?>>) kernel {
      %i = gpu.block_id x
      %j = gpu.thread_id x
      memref.store %v, %d[%i, %j] : memref<16x?xf32, strided<[?, 1], offset: ?>>
      gpu.return
    }
  }
}
// -----
// row blocks of a matrix with unknown columns, as IREE's dispatch workloads cut them
module attributes {gpu.container_module} {
  func.func @rows(%m: memref<?x?xf32>, %cols: index) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %v = arith.constant 1.0 : f32
    %top = memref.subview %m[0, 0] [16, %cols] [1, 1] : memref<?x?xf32> to memref<16x?xf32, strided<[?, 1]>>
    %t = memref.cast %top : memref<16x?xf32, strided<[?, 1]>> to memref<16x?xf32, strided<[?, 1], offset: ?>>
    %bot = memref.subview %m[16, 0] [16, %cols] [1, 1] : memref<?x?xf32> to memref<16x?xf32, strided<[?, 1], offset: ?>>
    %a0 = gpu.wait async
    %b0 = gpu.wait async
    %a1 = gpu.launch_func async [%a0] @k::@rows blocks in (%c16, %c1, %c1) threads in (%cols, %c1, %c1) args(%v : f32, %t : memref<16x?xf32, strided<[?, 1], offset: ?>>)
    %b1 = gpu.launch_func async [%b0] @k::@rows blocks in (%c16, %c1, %c1) threads in (%cols, %c1, %c1) args(%v : f32, %bot : memref<16x?xf32, strided<[?, 1], offset: ?>>)
    gpu.wait [%a1]
    gpu.wait [%b1]
    return
  }
  gpu.module @k {
    gpu.func @rows(%v: f32, %d: memref<16x?xf32, strided<[?, 1], offset: ?>>) kernel {
      %i = gpu.block_id x
      %j = gpu.thread_id x
      memref.store %v, %d[%i, %j] : memref<16x?xf32, strided<[?, 1], offset: ?>>
      gpu.return
    }
  }
}
