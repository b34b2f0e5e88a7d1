// Waits where %p, reads where not %p.
module {
  func.func @main(%x: memref<64xf32>, %h: memref<64xf32>, %p: i1, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %h, %x : memref<64xf32>, memref<64xf32>
    scf.if %p {
      gpu.wait [%c]
    }
    scf.if %p {
    } else {
      // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running if %p is false.}}
      %v = memref.load %h[%c0] : memref<64xf32>
      memref.store %v, %o[%c0] : memref<64xf32>
      gpu.wait [%c]
    }
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %h: memref<64xf32>, %p: i1, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %h, %x : memref<64xf32>, memref<64xf32>
    scf.if %p {
      gpu.wait [%c]
    }
    scf.if %p {
      %v = memref.load %h[%c0] : memref<64xf32>
      memref.store %v, %o[%c0] : memref<64xf32>
    } else {
      gpu.wait [%c]
    }
    return
  }
}
