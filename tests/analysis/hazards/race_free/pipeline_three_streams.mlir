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

  func.func @main(%h0: memref<256xf32>, %h1: memref<256xf32>, %o0: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %y, %t1 = gpu.alloc async [%t0] () : memref<256xf32>
    %z, %t2 = gpu.alloc async [%t1] () : memref<256xf32>
    gpu.wait [%t2]
    %su = gpu.wait async
    %sv = gpu.wait async
    %a = gpu.memcpy async [%su] %x, %h0 : memref<256xf32>, memref<256xf32>
    %b = gpu.memcpy async [%sv] %y, %h1 : memref<256xf32>, memref<256xf32>
    %j = gpu.wait async [%a, %b]
    %c = gpu.launch_func async [%j] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %z : memref<256xf32>)
    %d = gpu.launch_func async [%c] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%z : memref<256xf32>)
    %e = gpu.memcpy async [%d] %o0, %z : memref<256xf32>, memref<256xf32>
    %f0 = gpu.dealloc async [%e] %x : memref<256xf32>
    %f1 = gpu.dealloc async [%f0] %y : memref<256xf32>
    %f2 = gpu.dealloc async [%f1] %z : memref<256xf32>
    gpu.wait [%f2, %a, %b]
    %v = memref.load %o0[%c0] : memref<256xf32>
    memref.store %v, %h0[%c0] : memref<256xf32>
    return
  }
}
