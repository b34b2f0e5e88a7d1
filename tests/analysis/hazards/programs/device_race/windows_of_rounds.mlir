// Windows of two streams overlap from round to round.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }

  func.func @main(%x: memref<1024xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %c960 = arith.constant 896 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    scf.for %i = %c0 to %c960 step %c64 {
      %j = arith.addi %i, %c64 : index
      %v0 = memref.subview %x[%i] [64] [1] : memref<1024xf32> to memref<64xf32, strided<[1], offset: ?>>
      %v1 = memref.subview %x[%j] [64] [1] : memref<1024xf32> to memref<64xf32, strided<[1], offset: ?>>
      %d0 = memref.cast %v0 : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
      %d1 = memref.cast %v1 : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
      // expected-warning @+1 {{GA301: In a later iteration, this gpu.launch_func writes %x while the earlier gpu.launch_func that writes it may still be running.}}
      %a = gpu.launch_func async [%s0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d0 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
      %b = gpu.launch_func async [%s1] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d1 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    }
    gpu.wait [%s0, %s1]
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

  func.func @main(%x: memref<1024xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %f = arith.constant 1.0 : f32

    %c960 = arith.constant 896 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    scf.for %i = %c0 to %c960 step %c128 {
      %j = arith.addi %i, %c64 : index
      %v0 = memref.subview %x[%i] [64] [1] : memref<1024xf32> to memref<64xf32, strided<[1], offset: ?>>
      %v1 = memref.subview %x[%j] [64] [1] : memref<1024xf32> to memref<64xf32, strided<[1], offset: ?>>
      %d0 = memref.cast %v0 : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
      %d1 = memref.cast %v1 : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
      %a = gpu.launch_func async [%s0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d0 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
      %b = gpu.launch_func async [%s1] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d1 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    }
    gpu.wait [%s0, %s1]
    return
  }
}
