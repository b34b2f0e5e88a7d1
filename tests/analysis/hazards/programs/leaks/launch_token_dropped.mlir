// The token of a launch without dependency is dropped.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    // expected-warning @+1 {{GA401: No blocking gpu.wait ever waits for %a: its stream leaks, and nothing waits for its work.}}
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
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
  func.func @main(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    gpu.wait [%a]
    return
  }
}
