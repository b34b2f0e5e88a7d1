// A stream from outside is waited for in each round.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %t if the loop does not run: its stream leaks there, and nothing waits for its work.}}
    %t = gpu.wait async
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{GA202: This gpu.launch_func runs on the stream of %t, which was already destroyed in an earlier iteration.}}
      %a = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
      // expected-error @+1 {{GA201: The stream of %t is destroyed again here in a later iteration: a blocking gpu.wait destroys it.}}
      gpu.wait [%a]
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.wait async
      %a = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
      gpu.wait [%a]
    }
    return
  }
}
