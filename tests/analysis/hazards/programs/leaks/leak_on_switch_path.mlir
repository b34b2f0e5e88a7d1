// One case of cf.switch returns without a wait.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %w: i32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %a if %w is 3: its stream leaks there, and nothing waits for its work.}}
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    cf.switch %w : i32, [
      default: ^go,
      3: ^out
    ]
  ^go:
    gpu.wait [%a]
    return
  ^out:
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
  func.func @main(%x: memref<64xf32>, %w: i32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    cf.switch %w : i32, [
      default: ^go,
      3: ^out
    ]
  ^go:
    gpu.wait [%a]
    return
  ^out:
    gpu.wait [%a]
    return
  }
}
