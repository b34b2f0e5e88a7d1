// A callee returns one of two buffers; the host reads one of them early.
module {
  func.func private @pick(%c: i1, %a: memref<64xf32>, %b: memref<64xf32>) -> memref<64xf32> {
    %m = arith.select %c, %a, %b : memref<64xf32>
    return %m : memref<64xf32>
  }
  func.func @main(%c: i1, %a: memref<64xf32>, %b: memref<64xf32>, %d: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %m = func.call @pick(%c, %a, %b) : (i1, memref<64xf32>, memref<64xf32>) -> memref<64xf32>
    %s = gpu.wait async
    %u = gpu.memcpy async [%s] %m, %d : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %a while the gpu.memcpy that writes it may still be running if %m is %a.}}
    %x = memref.load %a[%c0] : memref<64xf32>
    gpu.wait [%u]
    return %x : f32
  }
}
// -----
module {
  func.func private @pick(%c: i1, %a: memref<64xf32>, %b: memref<64xf32>) -> memref<64xf32> {
    %m = arith.select %c, %a, %b : memref<64xf32>
    return %m : memref<64xf32>
  }
  func.func @main(%c: i1, %a: memref<64xf32>, %b: memref<64xf32>, %d: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %m = func.call @pick(%c, %a, %b) : (i1, memref<64xf32>, memref<64xf32>) -> memref<64xf32>
    %s = gpu.wait async
    %u = gpu.memcpy async [%s] %m, %d : memref<64xf32>, memref<64xf32>
    gpu.wait [%u]
    %x = memref.load %a[%c0] : memref<64xf32>
    return %x : f32
  }
}
