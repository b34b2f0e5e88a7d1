// The host reads the first element of a part at a symbolic offset.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>, %off: index) -> f32 {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %view = memref.subview %x[%off] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    %vc = memref.cast %view : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%vc : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA302: The host reads %x while the gpu.launch_func that writes it may still be running.}}
    %v = memref.load %x[%off] : memref<256xf32>
    gpu.wait [%a]
    return %v : f32
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

  func.func @main(%x: memref<256xf32>, %off: index) -> f32 {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %view = memref.subview %x[%off] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    %vc = memref.cast %view : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%vc : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    gpu.wait [%a]
    %v = memref.load %x[%off] : memref<256xf32>
    return %v : f32
  }
}
