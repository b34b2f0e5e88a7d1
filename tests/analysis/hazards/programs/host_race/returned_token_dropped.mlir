// The caller reads before it waits for a token that its callee returns.
module {
  func.func private @upload(%d: memref<64xf32>, %s: memref<64xf32>) -> !gpu.async.token {
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    return %c : !gpu.async.token
  }
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c = call @upload(%d, %s) : (memref<64xf32>, memref<64xf32>) -> !gpu.async.token
    // expected-warning @+1 {{GA302: The host reads %d while work of @upload that writes it may still be running.}}
    %x = memref.load %d[%c0] : memref<64xf32>
    // expected-error @+1 {{GA203: ... treats %c as an event, but @upload returns a stream: mgpuEventSynchronize gets a stream.}}
    gpu.wait [%c]
    return %x : f32
  }
}
// -----
module {
  func.func private @upload(%d: memref<64xf32>, %s: memref<64xf32>) {
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    return
  }
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    call @upload(%d, %s) : (memref<64xf32>, memref<64xf32>) -> ()
    %x = memref.load %d[%c0] : memref<64xf32>
    return %x : f32
  }
}
