// A stream from outside is joined in each round; the event is recorded once.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{GA206: The event for %a is recorded once, where %a is defined, and destroyed here again in a later iteration.}}
      %j = gpu.wait async [%a]
      %c = gpu.memcpy async [%j] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
    }
    gpu.wait [%a]
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
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    gpu.wait [%a]
    scf.for %i = %c0 to %n step %c1 {
      %j = gpu.wait async
      %c = gpu.memcpy async [%j] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
    }
    return
  }
}
