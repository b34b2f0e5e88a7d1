// Two parts a symbolic distance apart overlap.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>, %off: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %v0 = memref.subview %x[%off] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    %off1 = arith.addi %off, %c8 : index
    %v1 = memref.subview %x[%off1] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    %d0 = memref.cast %v0 : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %d1 = memref.cast %v1 : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d0 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%s1] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d1 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>, %off: index) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %v0 = memref.subview %x[%off] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    %off1 = arith.addi %off, %c64 : index
    %v1 = memref.subview %x[%off1] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    %d0 = memref.cast %v0 : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %d1 = memref.cast %v1 : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d0 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    %b = gpu.launch_func async [%s1] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d1 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
