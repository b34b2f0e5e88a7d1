// Pipelined while.
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
  func.func @main(%flag: memref<?xf32>, %dflag: memref<?xf32>, %work: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f1 = arith.constant 1.0 : f32
    %s = gpu.wait async
    scf.while : () -> () {
      %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%work : memref<?xf32>)
      %t = gpu.memcpy async [%l] %flag, %work : memref<?xf32>, memref<?xf32>
      // expected-warning @+1 {{GA302: The host reads %flag while the gpu.memcpy that writes it may still be running.}}
      %v = memref.load %flag[%c0] : memref<?xf32>
      %go = arith.cmpf olt, %v, %f1 : f32
      scf.condition(%go)
    } do {
      scf.yield
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
  func.func @main(%flag: memref<?xf32>, %dflag: memref<?xf32>, %work: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f1 = arith.constant 1.0 : f32
    %s = gpu.wait async
    scf.while : () -> () {
      %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%work : memref<?xf32>)
      %t = gpu.memcpy async [%l] %flag, %work : memref<?xf32>, memref<?xf32>
      %e = gpu.wait async [%t]
      gpu.wait [%e]
      %v = memref.load %flag[%c0] : memref<?xf32>
      %go = arith.cmpf olt, %v, %f1 : f32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.wait [%s]
    return
  }
}
