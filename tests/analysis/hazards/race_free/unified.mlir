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

  func.func @main() -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %x = gpu.alloc host_shared () : memref<256xf32>
    %y = gpu.alloc host_shared () : memref<256xf32>
    scf.for %i = %c0 to %c256 step %c1 {
      memref.store %f, %x[%i] : memref<256xf32>
      memref.store %f, %y[%i] : memref<256xf32>
    }
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    %b = gpu.launch_func async [%s1] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>)
    gpu.wait [%a]
    %v = memref.load %x[%c4] : memref<256xf32>
    gpu.wait [%b]
    %w = memref.load %y[%c4] : memref<256xf32>
    %r = arith.addf %v, %w : f32
    %q = gpu.wait async
    %d0 = gpu.dealloc async [%q] %x : memref<256xf32>
    %d1 = gpu.dealloc async [%d0] %y : memref<256xf32>
    gpu.wait [%d1]
    return %r : f32
  }
}
