// A value is returned that was read too early, behind a nested call.
module {
  func.func private @inner(%m: memref<64xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %x = memref.load %m[%c1] : memref<64xf32>
    return %x : f32
  }
  func.func private @outer(%m: memref<64xf32>) -> f32 {
    %x = call @inner(%m) : (memref<64xf32>) -> f32
    return %x : f32
  }
  func.func @main(%m: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %t = gpu.wait async
    %a = gpu.memcpy async [%t] %m, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %m while the gpu.memcpy that writes it may still be running.}}
    %x = call @outer(%m) : (memref<64xf32>) -> f32
    gpu.wait [%a]
    return %x : f32
  }
}
// -----
module {
  func.func private @inner(%m: memref<64xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %x = memref.load %m[%c1] : memref<64xf32>
    return %x : f32
  }
  func.func private @outer(%m: memref<64xf32>) -> f32 {
    %x = call @inner(%m) : (memref<64xf32>) -> f32
    return %x : f32
  }
  func.func @main(%m: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %t = gpu.wait async
    %a = gpu.memcpy async [%t] %m, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    %x = call @outer(%m) : (memref<64xf32>) -> f32
    return %x : f32
  }
}
