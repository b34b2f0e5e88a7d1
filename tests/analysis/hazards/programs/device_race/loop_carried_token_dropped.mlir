// Loop carried token dropped.
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
  func.func @main(%d: memref<?xf32>, %e: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = gpu.wait async
      %s2 = gpu.wait async
      %t = gpu.memcpy async [%s] %d, %e : memref<?xf32>, memref<?xf32>
      // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %d while the gpu.memcpy that writes it may still be running.}}
      %l = gpu.launch_func async [%s2] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%d : memref<?xf32>)
      gpu.wait [%t]
      gpu.wait [%l]
    }
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
  func.func @main(%d: memref<?xf32>, %e: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = gpu.wait async
      %s2 = gpu.wait async
      %t = gpu.memcpy async [%s] %d, %e : memref<?xf32>, memref<?xf32>
      %j = gpu.wait async [%t, %s2]
      %l = gpu.launch_func async [%j] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%d : memref<?xf32>)
      gpu.wait [%t]
      gpu.wait [%l]
      gpu.wait [%s2]
    }
    return
  }
}
