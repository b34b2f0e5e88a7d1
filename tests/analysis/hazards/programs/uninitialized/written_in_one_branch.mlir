// Written in one branch only.
module {
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>, %p: i1) {
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    scf.if %p {
      %c = gpu.memcpy async [%a] %m, %h : memref<64xf32>, memref<64xf32>
    }
    // expected-warning @+1 {{GA305: This gpu.memcpy reads %m, which nothing has written if %p is false.}}
    %d = gpu.memcpy async [%a] %o, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
// -----
module {
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>, %p: i1) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    scf.if %p {
      %c = gpu.memcpy async [%a] %m, %h : memref<64xf32>, memref<64xf32>
    } else {
      %c = gpu.memset async [%a] %m, %f : memref<64xf32>, f32
    }
    %d = gpu.memcpy async [%a] %o, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
