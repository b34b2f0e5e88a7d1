module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%h0: memref<256xf32>, %h1: memref<256xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x, %t0 = gpu.alloc async [%s0] () : memref<256xf32>
    %y, %t1 = gpu.alloc async [%s1] () : memref<256xf32>
    %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%sa = %s0, %sb = %s1, %xa = %x, %xb = %y, %ha = %h0, %hb = %h1) -> (!gpu.async.token, !gpu.async.token, memref<256xf32>, memref<256xf32>, memref<256xf32>, memref<256xf32>) {
      %a = gpu.memcpy async [%sa] %xa, %ha : memref<256xf32>, memref<256xf32>
      %b = gpu.launch_func async [%sa] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%xa : memref<256xf32>)
      %c = gpu.memcpy async [%sa] %ha, %xa : memref<256xf32>, memref<256xf32>
      scf.yield %sb, %sa, %xb, %xa, %hb, %ha : !gpu.async.token, !gpu.async.token, memref<256xf32>, memref<256xf32>, memref<256xf32>, memref<256xf32>
    }
    %d0 = gpu.dealloc async [%s0] %x : memref<256xf32>
    %d1 = gpu.dealloc async [%s1] %y : memref<256xf32>
    gpu.wait [%d0, %d1]
    %v = memref.load %h0[%c0] : memref<256xf32>
    memref.store %v, %h1[%c0] : memref<256xf32>
    return
  }
}
