// Read in the first round, written at the end of each.
module {
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%t]
    scf.for %i = %c0 to %n step %c1 {
      %s = gpu.wait async
      // expected-warning @+1 {{GA305: This gpu.memcpy reads %m, which nothing has written.}}
      %d = gpu.memcpy async [%s] %o, %m : memref<64xf32>, memref<64xf32>
      %u = gpu.memcpy async [%d] %m, %h : memref<64xf32>, memref<64xf32>
      gpu.wait [%u]
    }
    %e = gpu.wait async
    %z = gpu.dealloc async [%e] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
// -----
module {
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %z0 = gpu.memset async [%a] %m, %f : memref<64xf32>, f32
    gpu.wait [%t]
    scf.for %i = %c0 to %n step %c1 {
      %s = gpu.wait async
      %d = gpu.memcpy async [%s] %o, %m : memref<64xf32>, memref<64xf32>
      %u = gpu.memcpy async [%d] %m, %h : memref<64xf32>, memref<64xf32>
      gpu.wait [%u]
    }
    %e = gpu.wait async
    %z = gpu.dealloc async [%e] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
