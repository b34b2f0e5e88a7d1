// A kernel writes the first half; all of it is downloaded.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @part(%x: memref<64xf32>, %first: index) kernel {
      %t = gpu.global_id x
      %i = arith.addi %t, %first : index
      %v = arith.constant 2.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %t1 = gpu.launch_func async [%t0] @k::@part blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>, %c0 : index)
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %p that nothing has written.}}
    %t2 = gpu.memcpy async [%t1] %h, %p : memref<64xf32>, memref<64xf32>
    %t3 = gpu.dealloc async [%t2] %p : memref<64xf32>
    gpu.wait [%t3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @part(%x: memref<64xf32>, %first: index) kernel {
      %t = gpu.global_id x
      %i = arith.addi %t, %first : index
      %v = arith.constant 2.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %t1 = gpu.launch_func async [%t0] @k::@part blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>, %c0 : index)
    %u = gpu.launch_func async [%t1] @k::@part blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>, %c32 : index)
    %t2 = gpu.memcpy async [%u] %h, %p : memref<64xf32>, memref<64xf32>
    %t3 = gpu.dealloc async [%t2] %p : memref<64xf32>
    gpu.wait [%t3]
    return
  }
}
