// Stage reuse.
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
  func.func @main(%src: memref<?xf32>, %dev: memref<?xf32>, %stage: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    scf.for %i = %c0 to %n step %c32 {
      scf.for %j = %c0 to %c32 step %c1 {
        %ij = arith.addi %i, %j : index
        %v = memref.load %src[%ij] : memref<?xf32>
        // expected-warning @+1 {{GA302: In a later iteration, the host writes %stage while the gpu.memcpy that reads it may still be running.}}
        memref.store %v, %stage[%j] : memref<?xf32>
      }
      %t = gpu.memcpy async [%s] %dev, %stage : memref<?xf32>, memref<?xf32>
      %l = gpu.launch_func async [%t] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%dev : memref<?xf32>)
    }
    gpu.wait [%s]
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
  func.func @main(%src: memref<?xf32>, %dev: memref<?xf32>, %stage: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    scf.for %i = %c0 to %n step %c32 {
      scf.for %j = %c0 to %c32 step %c1 {
        %ij = arith.addi %i, %j : index
        %v = memref.load %src[%ij] : memref<?xf32>
        memref.store %v, %stage[%j] : memref<?xf32>
      }
      %t = gpu.memcpy async [%s] %dev, %stage : memref<?xf32>, memref<?xf32>
      %l = gpu.launch_func async [%t] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%dev : memref<?xf32>)
      %e = gpu.wait async [%t]
      gpu.wait [%e]
    }
    gpu.wait [%s]
    return
  }
}
