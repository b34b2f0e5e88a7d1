// The result of a loop that makes a stream in each round.
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
    %t0 = gpu.wait async
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %t0) -> (!gpu.async.token) {
      %k = gpu.launch_func async [%p] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
      scf.yield %k : !gpu.async.token
    }
    %e = gpu.launch_func async [%r] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    // expected-error @+1 {{GA203: ... treats %e as an event, but it is a stream: mgpuEventSynchronize gets a stream.}}
    gpu.wait [%e]
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
    %t0 = gpu.wait async
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %t0) -> (!gpu.async.token) {
      %k = gpu.launch_func async [%p] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
      scf.yield %k : !gpu.async.token
    }
    %e = gpu.launch_func async [%r] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    gpu.wait [%t0]
    return
  }
}
