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

  func.func private @slot(%arena: memref<4096xi8>, %n: index) -> memref<256xf32> {
    %c1024 = arith.constant 1024 : index
    %o = arith.muli %n, %c1024 : index
    %v = memref.view %arena[%o][] : memref<4096xi8> to memref<256xf32>
    return %v : memref<256xf32>
  }
  func.func @main(%h0: memref<256xf32>, %h1: memref<256xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %s = gpu.wait async
    %arena, %t0 = gpu.alloc async [%s] () : memref<4096xi8>
    gpu.wait [%t0]
    %m = arith.addi %n, %c1 : index
    %x = func.call @slot(%arena, %n) : (memref<4096xi8>, index) -> memref<256xf32>
    %y = func.call @slot(%arena, %m) : (memref<4096xi8>, index) -> memref<256xf32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.memcpy async [%s0] %x, %h0 : memref<256xf32>, memref<256xf32>
    %b = gpu.memcpy async [%s1] %y, %h1 : memref<256xf32>, memref<256xf32>
    %c = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    %d = gpu.launch_func async [%b] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>)
    gpu.wait [%c, %d]
    %q = gpu.wait async
    %e = gpu.dealloc async [%q] %arena : memref<4096xi8>
    gpu.wait [%e]
    return
  }
}
