// A loop of blocks waits for a stream of outside.
module attributes {gpu.container_module} {
  func.func @main(%n: index, %x: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %s if %go is false: its stream leaks there, and nothing waits for its work.}}
    %s = gpu.wait async
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %go = arith.cmpi slt, %i, %n : index
    cf.cond_br %go, ^body, ^exit
  ^body:
    // expected-error @+1 {{GA202: This gpu.memcpy runs on the stream of %s, which was already destroyed in an earlier iteration, if %go is true.}}
    %a = gpu.memcpy async [%s] %x, %h : memref<256xf32>, memref<256xf32>
    // expected-error @+1 {{GA201: The stream of %s is destroyed again here in a later iteration, if %go is true: a blocking gpu.wait destroys it.}}
    gpu.wait [%a]
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j : index)
  ^exit:
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%n: index, %x: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %go = arith.cmpi slt, %i, %n : index
    cf.cond_br %go, ^body, ^exit
  ^body:
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %h : memref<256xf32>, memref<256xf32>
    gpu.wait [%a]
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j : index)
  ^exit:
    return
  }
}
