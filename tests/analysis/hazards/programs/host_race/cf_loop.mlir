// An unstructured loop reads before its wait.
module {
  func.func @main(%x: memref<64xf32>, %s: memref<64xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    cf.br ^head(%c0, %f : index, f32)
  ^head(%i: index, %acc: f32):
    %more = arith.cmpi ult, %i, %n : index
    cf.cond_br %more, ^body, ^exit
  ^body:
    %t = gpu.wait async
    %a = gpu.memcpy async [%t] %x, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %x while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %x[%i] : memref<64xf32>
    gpu.wait [%a]
    %sum = arith.addf %acc, %v : f32
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j, %sum : index, f32)
  ^exit:
    return %acc : f32
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %s: memref<64xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    cf.br ^head(%c0, %f : index, f32)
  ^head(%i: index, %acc: f32):
    %more = arith.cmpi ult, %i, %n : index
    cf.cond_br %more, ^body, ^exit
  ^body:
    %t = gpu.wait async
    %a = gpu.memcpy async [%t] %x, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    %v = memref.load %x[%i] : memref<64xf32>
    %sum = arith.addf %acc, %v : f32
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j, %sum : index, f32)
  ^exit:
    return %acc : f32
  }
}
