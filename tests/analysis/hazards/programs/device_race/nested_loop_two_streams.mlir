// Inner loop on one stream, outer tail on another.
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
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %t0 = gpu.wait async
      %t1 = gpu.wait async
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%p = %t0) -> (!gpu.async.token) {
        %k = gpu.launch_func async [%p] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
        scf.yield %k : !gpu.async.token
      }
      // expected-warning @+1 {{GA301: This gpu.memcpy reads %x while the gpu.launch_func, which may read and write it, may still be running.}}
      %c = gpu.memcpy async [%t1] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      gpu.wait [%t0]
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
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %t0 = gpu.wait async
      %t1 = gpu.wait async
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%p = %t0) -> (!gpu.async.token) {
        %k = gpu.launch_func async [%p] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
        scf.yield %k : !gpu.async.token
      }
      gpu.wait [%t0]
      %c = gpu.memcpy async [%t1] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
    }
    return
  }
}
