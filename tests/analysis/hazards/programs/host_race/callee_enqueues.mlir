// Work that a callee left on the caller's stream.
module {
  func.func private @upload(%t: !gpu.async.token, %d: memref<64xf32>, %s: memref<64xf32>) {
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    return
  }
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    call @upload(%t, %d, %s) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
    // expected-warning @+1 {{GA302: The host reads %d while work of @upload that writes it may still be running.}}
    %x = memref.load %d[%c0] : memref<64xf32>
    gpu.wait [%t]
    return %x : f32
  }
}
// -----
module {
  func.func private @upload(%t: !gpu.async.token, %d: memref<64xf32>, %s: memref<64xf32>) {
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    return
  }
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    call @upload(%t, %d, %s) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
    gpu.wait [%t]
    %x = memref.load %d[%c0] : memref<64xf32>
    return %x : f32
  }
}
