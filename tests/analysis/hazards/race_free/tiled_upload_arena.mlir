module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%in: memref<256xf32>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<256xf32>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%h0: memref<256xf32>, %h1: memref<256xf32>, %h2: memref<256xf32>, %h3: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index

    %o1 = arith.constant 1024 : index
    %o2 = arith.constant 2048 : index
    %o3 = arith.constant 3072 : index
    %s = gpu.wait async
    %arena, %t0 = gpu.alloc async [%s] () : memref<4096xi8>
    gpu.wait [%t0]
    %v0 = memref.view %arena[%c0][] : memref<4096xi8> to memref<256xf32>
    %v1 = memref.view %arena[%o1][] : memref<4096xi8> to memref<256xf32>
    %v2 = memref.view %arena[%o2][] : memref<4096xi8> to memref<256xf32>
    %v3 = memref.view %arena[%o3][] : memref<4096xi8> to memref<256xf32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a0 = gpu.memcpy async [%s0] %v0, %h0 : memref<256xf32>, memref<256xf32>
    %b0 = gpu.memcpy async [%s1] %v1, %h1 : memref<256xf32>, memref<256xf32>
    %a1 = gpu.launch_func async [%a0] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%v0 : memref<256xf32>, %v2 : memref<256xf32>)
    %b1 = gpu.launch_func async [%b0] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%v1 : memref<256xf32>, %v3 : memref<256xf32>)
    %a2 = gpu.memcpy async [%a1] %h2, %v2 : memref<256xf32>, memref<256xf32>
    %b2 = gpu.memcpy async [%b1] %h3, %v3 : memref<256xf32>, memref<256xf32>
    gpu.wait [%a2, %b2]
    %v = memref.load %h2[%c4] : memref<256xf32>
    memref.store %v, %h3[%c4] : memref<256xf32>
    %q = gpu.wait async
    %d = gpu.dealloc async [%q] %arena : memref<4096xi8>
    gpu.wait [%d]
    return
  }
}
