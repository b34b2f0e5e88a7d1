// A host function of the file reads.
module {
  func.func private @first(%m: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %x = memref.load %m[%c0] : memref<64xf32>
    return %x : f32
  }
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    %x = call @first(%d) : (memref<64xf32>) -> f32
    gpu.wait [%c]
    return %x : f32
  }
}
// -----
module {
  func.func private @first(%m: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %x = memref.load %m[%c0] : memref<64xf32>
    return %x : f32
  }
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    %x = call @first(%d) : (memref<64xf32>) -> f32
    return %x : f32
  }
}
