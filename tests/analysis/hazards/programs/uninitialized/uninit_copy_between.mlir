// Uninit copy between.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<8xf32>) {
    %s = gpu.wait async
    %a, %t0 = gpu.alloc async [%s] () : memref<8xf32>
    %b, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
    // expected-warning @+1 {{GA305: This gpu.memcpy reads %a, which nothing has written.}}
    %x = gpu.memcpy async [%t1] %b, %a : memref<8xf32>, memref<8xf32>
    %y = gpu.memcpy async [%x] %h, %b : memref<8xf32>, memref<8xf32>
    %e0 = gpu.dealloc async [%y] %a : memref<8xf32>
    %e1 = gpu.dealloc async [%e0] %b : memref<8xf32>
    gpu.wait [%e1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<8xf32>) {
    %s = gpu.wait async
    %a, %t0 = gpu.alloc async [%s] () : memref<8xf32>
    %b, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
    %u = gpu.memcpy async [%t1] %a, %h : memref<8xf32>, memref<8xf32>
    %x = gpu.memcpy async [%t1] %b, %a : memref<8xf32>, memref<8xf32>
    %y = gpu.memcpy async [%x] %h, %b : memref<8xf32>, memref<8xf32>
    %e0 = gpu.dealloc async [%y] %a : memref<8xf32>
    %e1 = gpu.dealloc async [%e0] %b : memref<8xf32>
    gpu.wait [%e1]
    return
  }
}
