// A parallel host loop reads what a copy writes.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %e: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
      // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
      %x = memref.load %d[%i] : memref<64xf32>
      memref.store %x, %e[%i] : memref<64xf32>
      scf.reduce
    }
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %e: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
      %x = memref.load %d[%i] : memref<64xf32>
      memref.store %x, %e[%i] : memref<64xf32>
      scf.reduce
    }
    return
  }
}
