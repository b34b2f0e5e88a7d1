// Fork by if.
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
  func.func @main(%c: i1, %a: memref<?xf32>, %b: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %w = gpu.launch_func async [%s0] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>)
    %s = arith.select %c, %s0, %s1 : !gpu.async.token
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %a while the gpu.launch_func, which may read and write it, may still be running if %c is false.}}
    %t = gpu.memcpy async [%s] %b, %a : memref<?xf32>, memref<?xf32>
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
  func.func @main(%c: i1, %a: memref<?xf32>, %b: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %w = gpu.launch_func async [%s0] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>)
    %s = arith.select %c, %s0, %w : !gpu.async.token
    %t = gpu.memcpy async [%s] %b, %a : memref<?xf32>, memref<?xf32>
    gpu.wait [%s0, %s1]
    return
  }
}
