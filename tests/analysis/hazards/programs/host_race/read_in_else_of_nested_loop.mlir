// A read in the last round of an inner loop.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %n: index, %r: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
      scf.for %j = %c0 to %c64 step %c1 {
        %first = arith.cmpi eq, %j, %c0 : index
        scf.if %first {
        } else {
          %x = memref.load %s[%j] : memref<64xf32>
          memref.store %x, %r[%j] : memref<64xf32>
        }
        // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
        %y = memref.load %d[%j] : memref<64xf32>
        memref.store %y, %r[%j] : memref<64xf32>
      }
      gpu.wait [%c]
    }
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %n: index, %r: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
      scf.for %j = %c0 to %c64 step %c1 {
        %first = arith.cmpi eq, %j, %c0 : index
        scf.if %first {
          %x = memref.load %s[%j] : memref<64xf32>
          memref.store %x, %r[%j] : memref<64xf32>
        }
      }
      gpu.wait [%c]
      %y = memref.load %d[%c0] : memref<64xf32>
      memref.store %y, %r[%c0] : memref<64xf32>
    }
    return
  }
}
