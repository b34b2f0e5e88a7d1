// Scf.while carries a token; what it leaves is read without a wait.
module {
  func.func @main(%x: memref<64xf32>, %s: memref<64xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    %r:2 = scf.while (%i = %c0, %p = %t) : (index, !gpu.async.token) -> (index, !gpu.async.token) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %p : index, !gpu.async.token
    } do {
    ^bb0(%i: index, %p: !gpu.async.token):
      %a = gpu.memcpy async [%p] %x, %s : memref<64xf32>, memref<64xf32>
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %a : index, !gpu.async.token
    }
    // expected-warning @+1 {{GA302: In a later iteration, if %more is first true and then false, the host reads %x while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %x[%c0] : memref<64xf32>
    gpu.wait [%t]
    return %v : f32
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %s: memref<64xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    %r:2 = scf.while (%i = %c0, %p = %t) : (index, !gpu.async.token) -> (index, !gpu.async.token) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %p : index, !gpu.async.token
    } do {
    ^bb0(%i: index, %p: !gpu.async.token):
      %a = gpu.memcpy async [%p] %x, %s : memref<64xf32>, memref<64xf32>
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %a : index, !gpu.async.token
    }
    gpu.wait [%t]
    %v = memref.load %x[%c0] : memref<64xf32>
    return %v : f32
  }
}
