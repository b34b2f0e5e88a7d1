// An arena is freed while a view of it is filled.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>) {
    %c1024 = arith.constant 1024 : index
    %s = gpu.wait async
    %q = gpu.wait async
    %arena, %t0 = gpu.alloc async [%s] () : memref<4096xi8>
    gpu.wait [%t0]
    %v = memref.view %arena[%c1024][] : memref<4096xi8> to memref<256xf32>
    %a = gpu.memcpy async [%q] %v, %h : memref<256xf32>, memref<256xf32>
    %s2 = gpu.wait async
    // expected-error @+1 {{GA303: %arena is freed here while the gpu.memcpy that writes it may still be running.}}
    %b = gpu.dealloc async [%s2] %arena : memref<4096xi8>
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>) {
    %c1024 = arith.constant 1024 : index
    %s = gpu.wait async
    %q = gpu.wait async
    %arena, %t0 = gpu.alloc async [%s] () : memref<4096xi8>
    gpu.wait [%t0]
    %v = memref.view %arena[%c1024][] : memref<4096xi8> to memref<256xf32>
    %a = gpu.memcpy async [%q] %v, %h : memref<256xf32>, memref<256xf32>
    %b = gpu.dealloc async [%a] %arena : memref<4096xi8>
    gpu.wait [%b]
    return
  }
}
