// Early event.
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
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.memcpy async [%s0] %a, %c : memref<?xf32>, memref<?xf32>
    %t1 = gpu.launch_func async [%t0] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>)
    %j = gpu.wait async [%s1, %t0]
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %a while the gpu.launch_func, which may read and write it, may still be running.}}
    %t2 = gpu.memcpy async [%j] %b, %a : memref<?xf32>, memref<?xf32>
    gpu.wait [%t1]
    gpu.wait [%t2]
    gpu.wait [%s1]
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
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.memcpy async [%s0] %a, %c : memref<?xf32>, memref<?xf32>
    %t1 = gpu.launch_func async [%t0] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>)
    %j = gpu.wait async [%s1, %t1]
    %t2 = gpu.memcpy async [%j] %b, %a : memref<?xf32>, memref<?xf32>
    gpu.wait [%t1]
    gpu.wait [%t2]
    gpu.wait [%s1]
    return
  }
}
