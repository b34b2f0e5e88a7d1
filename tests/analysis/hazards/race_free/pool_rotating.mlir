module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%h: memref<256xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %y, %t1 = gpu.alloc async [%t0] () : memref<256xf32>
    %z, %t2 = gpu.alloc async [%t1] () : memref<256xf32>
    gpu.wait [%t2]
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y, %w = %z) -> (memref<256xf32>, memref<256xf32>, memref<256xf32>) {
      %s0 = gpu.wait async
      %s1 = gpu.wait async
      %s2 = gpu.wait async
      %a = gpu.memcpy async [%s0] %p, %h : memref<256xf32>, memref<256xf32>
      %b = gpu.launch_func async [%s1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%q : memref<256xf32>, %f : f32)
      %c = gpu.launch_func async [%s2] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%w : memref<256xf32>, %f : f32)
      gpu.wait [%a, %b, %c]
      scf.yield %q, %w, %p : memref<256xf32>, memref<256xf32>, memref<256xf32>
    }
    %k = gpu.wait async
    %d0 = gpu.dealloc async [%k] %r#0 : memref<256xf32>
    %d1 = gpu.dealloc async [%d0] %r#1 : memref<256xf32>
    %d2 = gpu.dealloc async [%d1] %r#2 : memref<256xf32>
    gpu.wait [%d2]
    return
  }
}
