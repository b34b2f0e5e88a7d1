// A while loop replaces its buffer and frees only the last.
module {
  func.func @main(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    // expected-warning @+1 {{GA403: %m0 does not escape, and is not freed if %more is first true and then false: such a call leaks it.}}
    %m0, %a = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%a]
    %r:2 = scf.while (%i = %c0, %m = %m0) : (index, memref<64xf32>) -> (index, memref<64xf32>) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %m : index, memref<64xf32>
    } do {
    ^bb0(%i: index, %m: memref<64xf32>):
      %s = gpu.wait async
      // expected-warning @+1 {{GA403: %new does not escape, and is not freed if %more is first true and then false: such a call leaks it.}}
      %new, %b = gpu.alloc async [%s] () : memref<64xf32>
      gpu.wait [%b]
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %new : index, memref<64xf32>
    }
    %e = gpu.wait async
    %z = gpu.dealloc async [%e] %r#1 : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
// -----
module {
  func.func @main(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    %m0, %a = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%a]
    %r:2 = scf.while (%i = %c0, %m = %m0) : (index, memref<64xf32>) -> (index, memref<64xf32>) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %m : index, memref<64xf32>
    } do {
    ^bb0(%i: index, %m: memref<64xf32>):
      %s = gpu.wait async
      %new, %b = gpu.alloc async [%s] () : memref<64xf32>
      %z = gpu.dealloc async [%b] %m : memref<64xf32>
      gpu.wait [%z]
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %new : index, memref<64xf32>
    }
    %e = gpu.wait async
    %z = gpu.dealloc async [%e] %r#1 : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
