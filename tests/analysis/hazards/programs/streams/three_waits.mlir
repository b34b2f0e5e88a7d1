// A wait names a stream by two of its tokens, made in a callee and here.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @more(%t: !gpu.async.token, %x: memref<64xf32>) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %k = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    return %k : !gpu.async.token
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    %b = call @more(%a, %x) : (!gpu.async.token, memref<64xf32>) -> !gpu.async.token
    %c = gpu.memcpy async [%b] %y, %x : memref<64xf32>, memref<64xf32>
    // expected-error @+1 {{GA201: This gpu.wait destroys the stream of %t twice: its operands are tokens of the same stream.}}
    gpu.wait [%t, %a]
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
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @more(%t: !gpu.async.token, %x: memref<64xf32>) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %k = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    return %k : !gpu.async.token
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    %b = call @more(%a, %x) : (!gpu.async.token, memref<64xf32>) -> !gpu.async.token
    %c = gpu.memcpy async [%b] %y, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    return
  }
}
