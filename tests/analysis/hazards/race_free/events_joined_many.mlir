module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%in: memref<256xf32>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<256xf32>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>, %w: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    %b = gpu.launch_func async [%s1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>, %f : f32)
    %j0 = gpu.wait async [%a, %b]
    %j1 = gpu.wait async [%b, %a]
    %c = gpu.launch_func async [%j0] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %z : memref<256xf32>)
    %d = gpu.launch_func async [%j1] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>, %w : memref<256xf32>)
    %j2 = gpu.wait async [%c, %d]
    %e = gpu.launch_func async [%j2] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%z : memref<256xf32>, %x : memref<256xf32>)
    %g = gpu.launch_func async [%e] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%w : memref<256xf32>, %y : memref<256xf32>)
    gpu.wait [%g, %c, %d, %a, %b]
    %v = memref.load %x[%c0] : memref<256xf32>
    memref.store %v, %y[%c1] : memref<256xf32>
    memref.store %v, %z[%c1] : memref<256xf32>
    return
  }
}
