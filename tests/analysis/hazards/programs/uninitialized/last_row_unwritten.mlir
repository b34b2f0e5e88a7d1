// A loop over rows ends one too early.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @row(%x: memref<8x8xf32>, %r: index) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 2.0 : f32
      memref.store %v, %x[%r, %i] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<8x8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<8x8xf32>
    scf.for %r = %c0 to %c7 step %c1 {
      %t1 = gpu.launch_func async [%t0] @k::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8x8xf32>, %r : index)
    }
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %p that nothing has written.}}
    %t2 = gpu.memcpy async [%t0] %h, %p : memref<8x8xf32>, memref<8x8xf32>
    %t3 = gpu.dealloc async [%t2] %p : memref<8x8xf32>
    gpu.wait [%t3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @row(%x: memref<8x8xf32>, %r: index) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 2.0 : f32
      memref.store %v, %x[%r, %i] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<8x8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<8x8xf32>
    scf.for %r = %c0 to %c8 step %c1 {
      %t1 = gpu.launch_func async [%t0] @k::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : memref<8x8xf32>, %r : index)
    }
    %t2 = gpu.memcpy async [%t0] %h, %p : memref<8x8xf32>, memref<8x8xf32>
    %t3 = gpu.dealloc async [%t2] %p : memref<8x8xf32>
    gpu.wait [%t3]
    return
  }
}
