module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @copy(%in: memref<256xf32>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<256xf32>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @jacobi(%h: memref<256xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %y, %t1 = gpu.alloc async [%t0] () : memref<256xf32>
    %u = gpu.memcpy async [%t1] %x, %h : memref<256xf32>, memref<256xf32>
    %u2 = gpu.memcpy async [%u] %y, %h : memref<256xf32>, memref<256xf32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (memref<256xf32>, memref<256xf32>) {
      %a = gpu.launch_func async [%s] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : memref<256xf32>, %q : memref<256xf32>)
      %b = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%q : memref<256xf32>)
      scf.yield %q, %p : memref<256xf32>, memref<256xf32>
    }
    %dl = gpu.memcpy async [%s] %h, %r#0 : memref<256xf32>, memref<256xf32>
    %d0 = gpu.dealloc async [%dl] %x : memref<256xf32>
    %d1 = gpu.dealloc async [%d0] %y : memref<256xf32>
    gpu.wait [%d1]
    %v = memref.load %h[%c0] : memref<256xf32>
    memref.store %v, %h[%c1] : memref<256xf32>
    return
  }
}
