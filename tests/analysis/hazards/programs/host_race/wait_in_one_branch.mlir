// Only one branch waits; the other path reads while the copy runs.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %p: i1) -> f32 {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %c if %p is false: its stream leaks there, and nothing waits for its work.}}
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    cf.cond_br %p, ^w, ^r
  ^w:
    gpu.wait [%c]
    cf.br ^r
  ^r:
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running if %p is false.}}
    %x = memref.load %d[%c0] : memref<64xf32>
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %p: i1) -> f32 {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    cf.br ^w
  ^w:
    gpu.wait [%c]
    cf.br ^r
  ^r:
    %x = memref.load %d[%c0] : memref<64xf32>
    return %x : f32
  }
}
