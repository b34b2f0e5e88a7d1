// The download goes the wrong way.
module {
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>) {
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    // expected-warning @+1 {{GA305: This gpu.memcpy reads %m, which nothing has written.}}
    %c = gpu.memcpy async [%a] %h, %m : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA305: This gpu.memcpy reads %m, which nothing has written.}}
    %d = gpu.memcpy async [%c] %o, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
// -----
module {
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>) {
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %c = gpu.memcpy async [%a] %m, %h : memref<64xf32>, memref<64xf32>
    %d = gpu.memcpy async [%c] %o, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
