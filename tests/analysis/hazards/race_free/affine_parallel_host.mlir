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

  func.func @main(%x: memref<256xf32>, %h: memref<256xf32>, %g: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %h : memref<256xf32>, memref<256xf32>
    affine.parallel (%i) = (0) to (256) {
      %v = affine.load %h[%i] : memref<256xf32>
      affine.store %v, %g[%i] : memref<256xf32>
    }
    %b = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    gpu.wait [%b]
    affine.for %i = 0 to 256 {
      %v = affine.load %g[%i] : memref<256xf32>
      affine.store %v, %h[%i] : memref<256xf32>
    }
    %s1 = gpu.wait async
    %c = gpu.memcpy async [%s1] %g, %x : memref<256xf32>, memref<256xf32>
    gpu.wait [%c]
    %v = memref.load %g[%c0] : memref<256xf32>
    memref.store %v, %h[%c0] : memref<256xf32>
    return
  }
}
