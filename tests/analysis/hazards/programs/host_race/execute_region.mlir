// The memref comes out of scf.execute_region.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %p: i1) {
    %c0 = arith.constant 0 : index
    %f = arith.constant 2.0 : f32
    %e = scf.execute_region -> memref<64xf32> {
      cf.cond_br %p, ^a, ^b
    ^a:
      scf.yield %d : memref<64xf32>
    ^b:
      scf.yield %s : memref<64xf32>
    }
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host writes %e while the gpu.memcpy that writes it may still be running.}}
    memref.store %f, %e[%c0] : memref<64xf32>
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %p: i1) {
    %c0 = arith.constant 0 : index
    %f = arith.constant 2.0 : f32
    %e = scf.execute_region -> memref<64xf32> {
      cf.cond_br %p, ^a, ^b
    ^a:
      scf.yield %d : memref<64xf32>
    ^b:
      scf.yield %s : memref<64xf32>
    }
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    memref.store %f, %e[%c0] : memref<64xf32>
    return
  }
}
