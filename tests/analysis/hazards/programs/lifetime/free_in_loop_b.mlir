// Free in loop b.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    // expected-warning @+1 {{GA403: %p does not escape, and is not freed if the loop does not run: such a call leaks it.}}
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    %e = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t1) -> (!gpu.async.token) {
      // expected-error @+1 {{GA303: This gpu.launch_func uses %p after it was freed in an earlier iteration.}}
      %l = gpu.launch_func async [%t] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<?xf32>)
      // expected-error @+1 {{GA304: %p is freed again here in a later iteration.}}
      %f = gpu.dealloc async [%l] %p : memref<?xf32>
      scf.yield %f : !gpu.async.token
    }
    gpu.wait [%t1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    %e = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t1) -> (!gpu.async.token) {
      %l = gpu.launch_func async [%t] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<?xf32>)
      scf.yield %l : !gpu.async.token
    }
    %f = gpu.dealloc async [%t1] %p : memref<?xf32>
    gpu.wait [%t1]
    return
  }
}
