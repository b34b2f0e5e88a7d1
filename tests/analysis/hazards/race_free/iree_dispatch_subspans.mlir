module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @dispatch(%arena: memref<4096xi8>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1024 = arith.constant 1024 : index
      %c2048 = arith.constant 2048 : index
      %lhs = memref.view %arena[%c0][%n] : memref<4096xi8> to memref<?xf32>
      %rhs = memref.view %arena[%c1024][%n] : memref<4096xi8> to memref<?xf32>
      %out = memref.view %arena[%c2048][%n] : memref<4096xi8> to memref<?xf32>
      %i = gpu.thread_id x
      %a = memref.load %lhs[%i] : memref<?xf32>
      %b = memref.load %rhs[%i] : memref<?xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %out[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%h0: memref<256xf32>, %h1: memref<256xf32>, %h2: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %c1024 = arith.constant 1024 : index
    %c2048 = arith.constant 2048 : index
    %s = gpu.wait async
    %arena, %t0 = gpu.alloc async [%s] () : memref<4096xi8>
    %lhs = memref.view %arena[%c0][] : memref<4096xi8> to memref<256xf32>
    %rhs = memref.view %arena[%c1024][] : memref<4096xi8> to memref<256xf32>
    %out = memref.view %arena[%c2048][] : memref<4096xi8> to memref<256xf32>
    %t1 = gpu.memcpy async [%t0] %lhs, %h0 : memref<256xf32>, memref<256xf32>
    %t2 = gpu.memcpy async [%t1] %rhs, %h1 : memref<256xf32>, memref<256xf32>
    %t3 = gpu.launch_func async [%t2] @k::@dispatch blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%arena : memref<4096xi8>, %c256 : index)
    %t4 = gpu.memcpy async [%t3] %h2, %out : memref<256xf32>, memref<256xf32>
    %t5 = gpu.dealloc async [%t4] %arena : memref<4096xi8>
    gpu.wait [%t5]
    return
  }
}
