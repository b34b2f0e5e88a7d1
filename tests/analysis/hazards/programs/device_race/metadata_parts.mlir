// Two parts of one base overlap by one element.
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

    %base, %o, %sz, %st = memref.extract_strided_metadata %x : memref<256xf32> -> memref<f32>, index, index, index
    %v0 = memref.reinterpret_cast %base to offset: [0], sizes: [64], strides: [1] : memref<f32> to memref<64xf32, strided<[1]>>
    %v1 = memref.reinterpret_cast %base to offset: [63], sizes: [64], strides: [1] : memref<f32> to memref<64xf32, strided<[1], offset: 63>>
    %d0 = memref.cast %v0 : memref<64xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %d1 = memref.cast %v1 : memref<64xf32, strided<[1], offset: 63>> to memref<?xf32, strided<[1], offset: ?>>
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

  func.func @main(%x: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %base, %o, %sz, %st = memref.extract_strided_metadata %x : memref<256xf32> -> memref<f32>, index, index, index
    %v0 = memref.reinterpret_cast %base to offset: [0], sizes: [64], strides: [1] : memref<f32> to memref<64xf32, strided<[1]>>
    %v1 = memref.reinterpret_cast %base to offset: [64], sizes: [64], strides: [1] : memref<f32> to memref<64xf32, strided<[1], offset: 64>>
    %d0 = memref.cast %v0 : memref<64xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %d1 = memref.cast %v1 : memref<64xf32, strided<[1], offset: 64>> to memref<?xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d0 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    %b = gpu.launch_func async [%s1] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d1 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
