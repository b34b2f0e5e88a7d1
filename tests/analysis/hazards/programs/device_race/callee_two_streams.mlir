// Callee two streams.
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
  func.func private @scale(%d: memref<?xf32>, %s: !gpu.async.token) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%d : memref<?xf32>)
    return %l : !gpu.async.token
  }
  func.func @main(%d: memref<?xf32>, %o: memref<?xf32>) {
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = func.call @scale(%d, %s0) : (memref<?xf32>, !gpu.async.token) -> !gpu.async.token
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %d while work of @scale, which may read and write it, may still be running.}}
    %b = gpu.memcpy async [%s1] %o, %d : memref<?xf32>, memref<?xf32>
    gpu.wait [%s0, %s1]
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
  func.func private @scale(%d: memref<?xf32>, %s: !gpu.async.token) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%d : memref<?xf32>)
    return %l : !gpu.async.token
  }
  func.func @main(%d: memref<?xf32>, %o: memref<?xf32>) {
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = func.call @scale(%d, %s0) : (memref<?xf32>, !gpu.async.token) -> !gpu.async.token
    %b = gpu.memcpy async [%s0] %o, %d : memref<?xf32>, memref<?xf32>
    gpu.wait [%s0, %s1]
    return
  }
}
