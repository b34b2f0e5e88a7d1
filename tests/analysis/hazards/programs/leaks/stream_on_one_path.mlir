// Stream on one path.
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
  func.func @main(%c: i1, %d: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %s if %c is false: its stream leaks there, and nothing waits for its work.}}
    %s = gpu.wait async
    scf.if %c {
      %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%d : memref<?xf32>)
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
  func.func @main(%c: i1, %d: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    scf.if %c {
      %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%d : memref<?xf32>)
      gpu.wait [%l]
    } else {
      gpu.wait [%s]
    }
    return
  }
}
