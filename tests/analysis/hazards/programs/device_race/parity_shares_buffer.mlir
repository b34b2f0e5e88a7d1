// Streams alternate by round, the buffer does not.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %r:4 = scf.for %i = %c0 to %c8 step %c1 iter_args(%sa = %s0, %sb = %s1, %xa = %x, %xb = %x) -> (!gpu.async.token, !gpu.async.token, memref<256xf32>, memref<256xf32>) {
      // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %xa while the same op of an earlier iteration may still be running.}}
      %a = gpu.launch_func async [%sa] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%xa : memref<256xf32>)
      scf.yield %sb, %sa, %xb, %xa : !gpu.async.token, !gpu.async.token, memref<256xf32>, memref<256xf32>
    }
    gpu.wait [%s0, %s1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %r:4 = scf.for %i = %c0 to %c8 step %c1 iter_args(%sa = %s0, %sb = %s1, %xa = %x, %xb = %y) -> (!gpu.async.token, !gpu.async.token, memref<256xf32>, memref<256xf32>) {
      %a = gpu.launch_func async [%sa] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%xa : memref<256xf32>)
      scf.yield %sb, %sa, %xb, %xa : !gpu.async.token, !gpu.async.token, memref<256xf32>, memref<256xf32>
    }
    gpu.wait [%s0, %s1]
    return
  }
}
