// A callee reads a global that another one has work on, which nobody waited for.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  memref.global "private" @scratch : memref<64xf32>
  func.func private @step(%t: !gpu.async.token) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %g = memref.get_global @scratch : memref<64xf32>
    %u = gpu.launch_func async [%t] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%g : memref<64xf32>)
    return
  }
  func.func private @total() -> f32 {
    %c3 = arith.constant 3 : index
    %g = memref.get_global @scratch : memref<64xf32>
    %v = memref.load %g[%c3] : memref<64xf32>
    return %v : f32
  }
  func.func @main() -> f32 {
    %s = gpu.wait async
    call @step(%s) : (!gpu.async.token) -> ()
    // expected-warning @+1 {{GA302: The host reads @scratch while work of @step, which may read and write it, may still be running.}}
    %v = call @total() : () -> f32
    gpu.wait [%s]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  memref.global "private" @scratch : memref<64xf32>
  func.func private @step(%t: !gpu.async.token) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %g = memref.get_global @scratch : memref<64xf32>
    %u = gpu.launch_func async [%t] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%g : memref<64xf32>)
    return
  }
  func.func private @total() -> f32 {
    %c3 = arith.constant 3 : index
    %g = memref.get_global @scratch : memref<64xf32>
    %v = memref.load %g[%c3] : memref<64xf32>
    return %v : f32
  }
  func.func @main() -> f32 {
    %s = gpu.wait async
    call @step(%s) : (!gpu.async.token) -> ()
    gpu.wait [%s]
    %v = call @total() : () -> f32
    return %v : f32
  }
}
