// Round i's kernel is still running when round i+1 updates the same sum, non-atomically.
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
  func.func @main(%acc: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %k0 = gpu.launch_func async [%t0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%acc : memref<64xf32>)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%prev = %k0) -> (!gpu.async.token) {
      %s = gpu.wait async
      // expected-warning @+2 {{GA301: This gpu.launch_func may read and write %acc while the earlier gpu.launch_func, which may read and write it, may still be running.}}
      // expected-warning @+1 {{GA301: In a later iteration, this gpu.launch_func may read and write %acc while the earlier gpu.launch_func that writes it may still be running.}}
      %k = gpu.launch_func async [%s] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%acc : memref<64xf32>)
      // expected-warning @+1 {{GA301: This gpu.launch_func writes %acc while the earlier gpu.launch_func, which may read and write it, may still be running.}}
      %m = gpu.launch_func async [%prev] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%acc : memref<64xf32>)
      gpu.wait [%k]
      scf.yield %m : !gpu.async.token
    }
    gpu.wait [%t0]
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
  func.func @main(%acc: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %k0 = gpu.launch_func async [%t0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%acc : memref<64xf32>)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%prev = %k0) -> (!gpu.async.token) {
      %k = gpu.launch_func async [%prev] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%acc : memref<64xf32>)
      scf.yield %k : !gpu.async.token
    }
    gpu.wait [%t0]
    return
  }
}
