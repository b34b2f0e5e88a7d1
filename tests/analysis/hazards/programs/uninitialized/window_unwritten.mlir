// Both launches fill the same window of the buffer, which is copied as a whole.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%p: memref<64xf32>, %first: index) kernel {
      %one = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %window = memref.subview %p[%first] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
      memref.store %one, %window[%i] : memref<32xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%out: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %t1 = gpu.launch_func async [%t0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>, %c0 : index)
    %t2 = gpu.launch_func async [%t1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>, %c0 : index)
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %p that nothing has written.}}
    %t3 = gpu.memcpy async [%t2] %out, %p : memref<64xf32>, memref<64xf32>
    %t4 = gpu.dealloc async [%t3] %p : memref<64xf32>
    gpu.wait [%t4]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%p: memref<64xf32>, %first: index) kernel {
      %one = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %window = memref.subview %p[%first] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
      memref.store %one, %window[%i] : memref<32xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%out: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %t1 = gpu.launch_func async [%t0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>, %c0 : index)
    %t2 = gpu.launch_func async [%t1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>, %c32 : index)
    %t3 = gpu.memcpy async [%t2] %out, %p : memref<64xf32>, memref<64xf32>
    %t4 = gpu.dealloc async [%t3] %p : memref<64xf32>
    gpu.wait [%t4]
    return
  }
}
