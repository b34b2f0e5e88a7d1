// Unified.
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
  func.func @main(%h: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %u = memref.cast %h : memref<?xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    %s = gpu.wait async
    %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%h : memref<?xf32>)
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.launch_func, which may read and write it, may still be running.}}
    %v = memref.load %h[%c0] : memref<?xf32>
    gpu.wait [%l]
    gpu.host_unregister %u : memref<*xf32>
    return %v : f32
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
  func.func @main(%h: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %u = memref.cast %h : memref<?xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    %s = gpu.wait async
    %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%h : memref<?xf32>)
    gpu.wait [%l]
    %v = memref.load %h[%c0] : memref<?xf32>
    gpu.host_unregister %u : memref<*xf32>
    return %v : f32
  }
}
