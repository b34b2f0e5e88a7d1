// A callee returns one of three buffers, by blocks; another stream writes one of them.
module {
  func.func private @best(%n: index, %a: memref<64xf32>, %b: memref<64xf32>, %d: memref<64xf32>) -> memref<64xf32> {
    %c0 = arith.constant 0 : index
    %e = arith.cmpi eq, %n, %c0 : index
    cf.cond_br %e, ^first, ^more
  ^first:
    return %a : memref<64xf32>
  ^more:
    %c3 = arith.constant 3 : index
    %f = arith.cmpi eq, %n, %c3 : index
    cf.cond_br %f, ^last(%b : memref<64xf32>), ^last(%d : memref<64xf32>)
  ^last(%m: memref<64xf32>):
    return %m : memref<64xf32>
  }
  func.func @main(%n: index, %a: memref<64xf32>, %b: memref<64xf32>, %d: memref<64xf32>, %h: memref<64xf32>) {
    %z = arith.constant 0.0 : f32
    %m = func.call @best(%n, %a, %b, %d) : (index, memref<64xf32>, memref<64xf32>, memref<64xf32>) -> memref<64xf32>
    %s = gpu.wait async
    %t = gpu.wait async
    %u = gpu.memcpy async [%s] %m, %h : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA301: This gpu.memset writes %b while the gpu.memcpy that writes it may still be running if %m is %b.}}
    %v = gpu.memset async [%t] %b, %z : memref<64xf32>, f32
    gpu.wait [%u, %v]
    return
  }
}
// -----
module {
  func.func private @best(%n: index, %a: memref<64xf32>, %b: memref<64xf32>, %d: memref<64xf32>) -> memref<64xf32> {
    %c0 = arith.constant 0 : index
    %e = arith.cmpi eq, %n, %c0 : index
    cf.cond_br %e, ^first, ^more
  ^first:
    return %a : memref<64xf32>
  ^more:
    %c3 = arith.constant 3 : index
    %f = arith.cmpi eq, %n, %c3 : index
    cf.cond_br %f, ^last(%b : memref<64xf32>), ^last(%d : memref<64xf32>)
  ^last(%m: memref<64xf32>):
    return %m : memref<64xf32>
  }
  func.func @main(%n: index, %a: memref<64xf32>, %b: memref<64xf32>, %d: memref<64xf32>, %h: memref<64xf32>) {
    %z = arith.constant 0.0 : f32
    %m = func.call @best(%n, %a, %b, %d) : (index, memref<64xf32>, memref<64xf32>, memref<64xf32>) -> memref<64xf32>
    %s = gpu.wait async
    %u = gpu.memcpy async [%s] %m, %h : memref<64xf32>, memref<64xf32>
    %v = gpu.memset async [%u] %b, %z : memref<64xf32>, f32
    gpu.wait [%v]
    return
  }
}
