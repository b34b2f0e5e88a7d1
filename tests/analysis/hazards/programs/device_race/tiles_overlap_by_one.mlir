// Tiles overlap by one.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @vfill(%o: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %o[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<128xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c65 = arith.constant 65 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %u = memref.subview %m[0] [65] [1] : memref<128xf32> to memref<65xf32, strided<[1]>>
    %l = memref.subview %m[64] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 64>>
    %du = memref.cast %u : memref<65xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %dl = memref.cast %l : memref<64xf32, strided<[1], offset: 64>> to memref<?xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@vfill blocks in (%c1, %c1, %c1) threads in (%c65, %c1, %c1) args(%du : memref<?xf32, strided<[1], offset: ?>>, %f0 : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %y = gpu.launch_func async [%s1] @k::@vfill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%dl : memref<?xf32, strided<[1], offset: ?>>, %f1 : f32)
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
  func.func @main(%m: memref<128xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %u = memref.subview %m[0] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1]>>
    %l = memref.subview %m[64] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 64>>
    %du = memref.cast %u : memref<64xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %dl = memref.cast %l : memref<64xf32, strided<[1], offset: 64>> to memref<?xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@vfill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%du : memref<?xf32, strided<[1], offset: ?>>, %f0 : f32)
    %y = gpu.launch_func async [%s1] @k::@vfill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%dl : memref<?xf32, strided<[1], offset: ?>>, %f1 : f32)
    gpu.wait [%x, %y]
    return
  }
}
