// Pingpong streams.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x, %y = scf.for %i = %c0 to %n step %c1 iter_args(%p = %s0, %q = %s1) -> (!gpu.async.token, !gpu.async.token) {
      // expected-warning @+1 {{GA301: This gpu.launch_func writes %b while the same op of an earlier iteration may still be running.}}
      %l = gpu.launch_func async [%p] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>, %b : memref<?xf32>)
      scf.yield %q, %p : !gpu.async.token, !gpu.async.token
    }
    gpu.wait [%s0, %s1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x, %y = scf.for %i = %c0 to %n step %c1 iter_args(%p = %s0, %q = %s1) -> (!gpu.async.token, !gpu.async.token) {
      %l = gpu.launch_func async [%s0] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>, %b : memref<?xf32>)
      scf.yield %q, %p : !gpu.async.token, !gpu.async.token
    }
    gpu.wait [%s0, %s1]
    return
  }
}
