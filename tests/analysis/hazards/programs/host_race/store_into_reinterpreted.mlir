// The host stores into the part that a kernel fills by a reinterpret_cast.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %i = arith.constant 70 : index
    %part = memref.reinterpret_cast %x to offset: [64], sizes: [64], strides: [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: 64>>
    %vc = memref.cast %part : memref<64xf32, strided<[1], offset: 64>> to memref<?xf32, strided<[1], offset: ?>>
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%vc : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA302: The host writes %x while the gpu.launch_func that writes it may still be running.}}
    memref.store %f, %x[%i] : memref<256xf32>
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

  func.func @main(%x: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %i = arith.constant 130 : index
    %part = memref.reinterpret_cast %x to offset: [64], sizes: [64], strides: [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: 64>>
    %vc = memref.cast %part : memref<64xf32, strided<[1], offset: 64>> to memref<?xf32, strided<[1], offset: ?>>
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%vc : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    memref.store %f, %x[%i] : memref<256xf32>
    gpu.wait [%a]
    return
  }
}
