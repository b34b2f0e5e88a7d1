// The caller drops the token that its callee returns.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @start(%x: memref<64xf32>) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    return %a : !gpu.async.token
  }
  func.func @main(%x: memref<64xf32>) {
    // expected-warning @+1 {{GA401: @start creates the stream of %a and leaves it running: it leaks, and nothing waits for its work.}}
    %a = call @start(%x) : (memref<64xf32>) -> !gpu.async.token
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @start(%s: !gpu.async.token, %x: memref<64xf32>) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    return %a : !gpu.async.token
  }
  func.func @main(%x: memref<64xf32>) {
    %t = gpu.wait async
    %a = call @start(%t, %x) : (!gpu.async.token, memref<64xf32>) -> !gpu.async.token
    gpu.wait [%t]
    return
  }
}
