// The host copies a part that overlaps with what a kernel fills.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }

  func.func @main(%x: memref<512xf32>, %y: memref<512xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %v = memref.subview %x[128] [256] [1] : memref<512xf32> to memref<256xf32, strided<[1], offset: 128>>
    %w = memref.subview %y[0] [256] [1] : memref<512xf32> to memref<256xf32, strided<[1]>>
    %u = memref.subview %x[0] [256] [1] : memref<512xf32> to memref<256xf32, strided<[1]>>
    %d = memref.cast %u : memref<256xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%d : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA302: The host reads %x while the gpu.launch_func that writes it may still be running.}}
    memref.copy %v, %w : memref<256xf32, strided<[1], offset: 128>> to memref<256xf32, strided<[1]>>
    gpu.wait [%a]
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

  func.func @main(%x: memref<512xf32>, %y: memref<512xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %v = memref.subview %x[256] [256] [1] : memref<512xf32> to memref<256xf32, strided<[1], offset: 256>>
    %w = memref.subview %y[0] [256] [1] : memref<512xf32> to memref<256xf32, strided<[1]>>
    %u = memref.subview %x[0] [256] [1] : memref<512xf32> to memref<256xf32, strided<[1]>>
    %d = memref.cast %u : memref<256xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%d : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    memref.copy %v, %w : memref<256xf32, strided<[1], offset: 256>> to memref<256xf32, strided<[1]>>
    gpu.wait [%a]
    return
  }
}
