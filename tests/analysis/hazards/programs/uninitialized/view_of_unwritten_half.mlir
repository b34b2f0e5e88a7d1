// A view of bytes that nothing has written.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>, %o: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<4096xi8>
    %v0 = memref.view %x[%c0][] : memref<4096xi8> to memref<256xf32>
    %v1 = memref.view %x[%c1024][] : memref<4096xi8> to memref<256xf32>
    %w = gpu.memcpy async [%t0] %v0, %h : memref<256xf32>, memref<256xf32>
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %x that nothing has written.}}
    %a = gpu.memcpy async [%w] %o, %v1 : memref<256xf32>, memref<256xf32>
    %d = gpu.dealloc async [%a] %x : memref<4096xi8>
    gpu.wait [%d]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>, %o: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<4096xi8>
    %v0 = memref.view %x[%c0][] : memref<4096xi8> to memref<256xf32>
    %v1 = memref.view %x[%c1024][] : memref<4096xi8> to memref<256xf32>
    %w = gpu.memcpy async [%t0] %v1, %h : memref<256xf32>, memref<256xf32>
    %a = gpu.memcpy async [%w] %o, %v1 : memref<256xf32>, memref<256xf32>
    %d = gpu.dealloc async [%a] %x : memref<4096xi8>
    gpu.wait [%d]
    return
  }
}
