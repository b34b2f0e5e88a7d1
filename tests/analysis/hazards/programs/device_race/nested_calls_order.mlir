// Outer calls inner; inner runs on a stream of its own that it gives back by waiting too late.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @inner(%x: memref<64xf32>) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    return %a : !gpu.async.token
  }
  func.func @main(%x: memref<64xf32>, %o: memref<64xf32>) {
    %t = gpu.wait async
    // expected-warning @+1 {{GA401: @inner creates the stream of %a and leaves it running: it leaks, and nothing waits for its work.}}
    %a = call @inner(%x) : (memref<64xf32>) -> !gpu.async.token
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %x while work of @inner that writes it may still be running.}}
    %c = gpu.memcpy async [%t] %o, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
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
  func.func private @inner(%t: !gpu.async.token, %x: memref<64xf32>) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    return %a : !gpu.async.token
  }
  func.func @main(%x: memref<64xf32>, %o: memref<64xf32>) {
    %t = gpu.wait async
    %a = call @inner(%t, %x) : (!gpu.async.token, memref<64xf32>) -> !gpu.async.token
    %c = gpu.memcpy async [%a] %o, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    return
  }
}
