// The whole device is waited for, after the host has read.
module {
  func.func private @cudaDeviceSynchronize() -> i32
  func.func private @start(%t: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>) {
    %a = gpu.memcpy async [%t] %h, %d : memref<64xf32>, memref<64xf32>
    return
  }
  func.func @main(%d: memref<64xf32>, %h: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    call @start(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
    // expected-warning @+1 {{GA302: The host reads %h while work of @start that writes it may still be running.}}
    %v = memref.load %h[%c0] : memref<64xf32>
    %r = call @cudaDeviceSynchronize() : () -> i32
    gpu.wait [%s]
    return %v : f32
  }
}
// -----
module {
  func.func private @cudaDeviceSynchronize() -> i32
  func.func private @start(%t: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>) {
    %a = gpu.memcpy async [%t] %h, %d : memref<64xf32>, memref<64xf32>
    return
  }
  func.func @main(%d: memref<64xf32>, %h: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    call @start(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
    %r = call @cudaDeviceSynchronize() : () -> i32
    %v = memref.load %h[%c0] : memref<64xf32>
    gpu.wait [%s]
    return %v : f32
  }
}
