// Two byte views of one arena that overlap.
module {
  func.func @main(%arena: memref<512xi8>, %s: memref<64xf32>) -> f32 {
    %c2 = arith.constant 2 : index
    %at0 = arith.constant 128 : index
    %at1 = arith.constant 128 : index
    %v = memref.view %arena[%at0][] : memref<512xi8> to memref<64xf32>
    %w = memref.view %arena[%at1][] : memref<512xi8> to memref<16xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %v, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %arena while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %w[%c2] : memref<16xf32>
    gpu.wait [%c]
    return %x : f32
  }
}
// -----
module {
  func.func @main(%arena: memref<512xi8>, %s: memref<64xf32>) -> f32 {
    %c2 = arith.constant 2 : index
    %at0 = arith.constant 128 : index
    %at1 = arith.constant 384 : index
    %v = memref.view %arena[%at0][] : memref<512xi8> to memref<64xf32>
    %w = memref.view %arena[%at1][] : memref<512xi8> to memref<16xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %v, %s : memref<64xf32>, memref<64xf32>
    %x = memref.load %w[%c2] : memref<16xf32>
    gpu.wait [%c]
    return %x : f32
  }
}
