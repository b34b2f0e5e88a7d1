// Free view then use base.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %q = memref.cast %p : memref<64xf32> to memref<?xf32>
    %t1 = gpu.memcpy async [%t0] %q, %h : memref<?xf32>, memref<?xf32>
    %t2 = gpu.dealloc async [%t1] %q : memref<?xf32>
    // expected-error @+1 {{GA303: This gpu.launch_func uses %p after it was freed.}}
    %t3 = gpu.launch_func async [%t2] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%q : memref<?xf32>)
    gpu.wait [%t3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %q = memref.cast %p : memref<64xf32> to memref<?xf32>
    %t1 = gpu.memcpy async [%t0] %q, %h : memref<?xf32>, memref<?xf32>
    %t3 = gpu.launch_func async [%t1] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%q : memref<?xf32>)
    %t2 = gpu.dealloc async [%t3] %q : memref<?xf32>
    gpu.wait [%t2]
    return
  }
}
