// Symbolic tiles.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @vfill(%o: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %o[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%d: memref<?xf32>, %len: index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %two = arith.muli %len, %c2 : index
    %u = memref.subview %d[0] [%len] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    %l = memref.subview %d[0] [%two] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    %l2 = memref.cast %l : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %du = memref.cast %u : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@vfill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%du : memref<?xf32, strided<[1], offset: ?>>, %f0 : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %d while the earlier gpu.launch_func that writes it may still be running.}}
    %y = gpu.launch_func async [%s1] @k::@vfill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%l2 : memref<?xf32, strided<[1], offset: ?>>, %f1 : f32)
    gpu.wait [%x, %y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @vfill(%o: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %o[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%d: memref<?xf32>, %len: index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %two = arith.muli %len, %c2 : index
    %u = memref.subview %d[0] [%len] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    %l2 = memref.subview %d[%len] [%len] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %du = memref.cast %u : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@vfill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%du : memref<?xf32, strided<[1], offset: ?>>, %f0 : f32)
    %y = gpu.launch_func async [%s1] @k::@vfill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%l2 : memref<?xf32, strided<[1], offset: ?>>, %f1 : f32)
    gpu.wait [%x, %y]
    return
  }
}
