// Two dim dynamic.
module attributes {gpu.container_module} {
  gpu.module @m2 {
    gpu.func @z(%t: memref<8x8xf32, strided<[?, 1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      %z = arith.constant 0.0 : f32
      memref.store %z, %t[%i, %j] : memref<8x8xf32, strided<[?, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?x?xf32>, %i: index, %j: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %j1 = arith.addi %j, %c4 : index
    %a = memref.subview %m[%i, %j] [8, 8] [1, 1] : memref<?x?xf32> to memref<8x8xf32, strided<[?, 1], offset: ?>>
    %b = memref.subview %m[%i, %j1] [8, 8] [1, 1] : memref<?x?xf32> to memref<8x8xf32, strided<[?, 1], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %x = gpu.launch_func async [%s] @m2::@z blocks in (%c1, %c1, %c1) threads in (%c8, %c8, %c1) args(%a : memref<8x8xf32, strided<[?, 1], offset: ?>>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %y = gpu.launch_func async [%t] @m2::@z blocks in (%c1, %c1, %c1) threads in (%c8, %c8, %c1) args(%b : memref<8x8xf32, strided<[?, 1], offset: ?>>)
    gpu.wait [%x, %y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m2 {
    gpu.func @z(%t: memref<8x8xf32, strided<[?, 1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      %z = arith.constant 0.0 : f32
      memref.store %z, %t[%i, %j] : memref<8x8xf32, strided<[?, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?x?xf32>, %i: index, %j: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 8 : index
    %j1 = arith.addi %j, %c4 : index
    %a = memref.subview %m[%i, %j] [8, 8] [1, 1] : memref<?x?xf32> to memref<8x8xf32, strided<[?, 1], offset: ?>>
    %b = memref.subview %m[%i, %j1] [8, 8] [1, 1] : memref<?x?xf32> to memref<8x8xf32, strided<[?, 1], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %x = gpu.launch_func async [%s] @m2::@z blocks in (%c1, %c1, %c1) threads in (%c8, %c8, %c1) args(%a : memref<8x8xf32, strided<[?, 1], offset: ?>>)
    %y = gpu.launch_func async [%t] @m2::@z blocks in (%c1, %c1, %c1) threads in (%c8, %c8, %c1) args(%b : memref<8x8xf32, strided<[?, 1], offset: ?>>)
    gpu.wait [%x, %y]
    return
  }
}
