// Blocks of so many rows; the second begins in the last row of the first.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<?x64xf32, strided<[64, 1], offset: ?>>, %f: f32) kernel {
      %i = gpu.block_id x
      %j = gpu.thread_id x
      memref.store %f, %x[%i, %j] : memref<?x64xf32, strided<[64, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?x64xf32>, %i: index, %n: index, %f: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %end = arith.addi %i, %n : index
    %last = arith.subi %end, %c1 : index
    %x = memref.subview %m[%i, 0] [%n, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %y = memref.subview %m[%last, 0] [%n, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<?x64xf32, strided<[64, 1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%t] @k::@fill blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<?x64xf32, strided<[64, 1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<?x64xf32, strided<[64, 1], offset: ?>>, %f: f32) kernel {
      %i = gpu.block_id x
      %j = gpu.thread_id x
      memref.store %f, %x[%i, %j] : memref<?x64xf32, strided<[64, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?x64xf32>, %i: index, %n: index, %f: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %end = arith.addi %i, %n : index
    %x = memref.subview %m[%i, 0] [%n, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %y = memref.subview %m[%end, 0] [%n, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<?x64xf32, strided<[64, 1], offset: ?>>, %f : f32)
    %b = gpu.launch_func async [%t] @k::@fill blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<?x64xf32, strided<[64, 1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
