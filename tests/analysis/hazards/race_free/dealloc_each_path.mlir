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

  func.func @main(%c: i1, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %a = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    cf.cond_br %c, ^fast, ^slow
  ^fast:
    %b = gpu.dealloc async [%a] %x : memref<256xf32>
    cf.br ^end
  ^slow:
    %d = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    %e = gpu.memcpy async [%d] %h, %x : memref<256xf32>, memref<256xf32>
    %g = gpu.dealloc async [%e] %x : memref<256xf32>
    cf.br ^end
  ^end:
    gpu.wait [%s]
    %v = memref.load %h[%c0] : memref<256xf32>
    memref.store %v, %h[%c1] : memref<256xf32>
    return
  }
}
