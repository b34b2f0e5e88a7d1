// A while loop waits for a stream of outside in each round.
module attributes {gpu.container_module} {
  func.func @main(%n: index, %d: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %s if %go is false: its stream leaks there, and nothing waits for its work.}}
    %s = gpu.wait async
    %r = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      // expected-error @+1 {{GA202: This gpu.memcpy runs on the stream of %s, which was already destroyed in an earlier iteration, if %go is true.}}
      %a = gpu.memcpy async [%s] %d, %h : memref<256xf32>, memref<256xf32>
      // expected-error @+1 {{GA201: The stream of %s is destroyed again here in a later iteration, if %go is true: a blocking gpu.wait destroys it.}}
      gpu.wait [%a]
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%n: index, %d: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %d, %h : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
    return
  }
}
