// Cf loop backedge.
module attributes {gpu.container_module} {
  func.func @main(%n: index, %d: memref<?xf32>, %h: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f1 = arith.constant 1.0 : f32
    %s = gpu.wait async
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %go = arith.cmpi slt, %i, %n : index
    cf.cond_br %go, ^body, ^exit
  ^body:
    // expected-warning @+1 {{GA302: In a later iteration, if %go is true, the host writes %h while the gpu.memcpy that reads it may still be running.}}
    memref.store %f1, %h[%i] : memref<?xf32>
    %t = gpu.memcpy async [%s] %d, %h : memref<?xf32>, memref<?xf32>
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j : index)
  ^exit:
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%n: index, %d: memref<?xf32>, %h: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f1 = arith.constant 1.0 : f32
    %s = gpu.wait async
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %go = arith.cmpi slt, %i, %n : index
    cf.cond_br %go, ^body, ^exit
  ^body:
    memref.store %f1, %h[%i] : memref<?xf32>
    %t = gpu.memcpy async [%s] %d, %h : memref<?xf32>, memref<?xf32>
    %e = gpu.wait async [%t]
    gpu.wait [%e]
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j : index)
  ^exit:
    gpu.wait [%s]
    return
  }
}
