// A view of a buffer that is freed.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %v = memref.subview %x[%c64] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    %d = memref.cast %v : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %t1 = gpu.dealloc async [%t0] %x : memref<256xf32>
    // expected-error @+1 {{GA303: This gpu.launch_func uses %x after it was freed.}}
    %t2 = gpu.launch_func async [%t1] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    gpu.wait [%t2]
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

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %v = memref.subview %x[%c64] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    %d = memref.cast %v : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %t1 = gpu.launch_func async [%t0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    %t2 = gpu.dealloc async [%t1] %x : memref<256xf32>
    gpu.wait [%t2]
    return
  }
}
