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

  func.func @main(%c: i1, %h: memref<256xf32>, %o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %a = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    scf.if %c {
      %y, %t1 = gpu.alloc async [%a] () : memref<256xf32>
      %b = gpu.launch_func async [%t1] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %y : memref<256xf32>)
      %d = gpu.memcpy async [%b] %o, %y : memref<256xf32>, memref<256xf32>
      %e = gpu.dealloc async [%d] %y : memref<256xf32>
    } else {
      %b = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
      %d = gpu.memcpy async [%b] %o, %x : memref<256xf32>, memref<256xf32>
    }
    %z = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%z]
    %v = memref.load %o[%c2] : memref<256xf32>
    memref.store %v, %o[%c4] : memref<256xf32>
    return
  }
}
