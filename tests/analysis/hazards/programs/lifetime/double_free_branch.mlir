// Double free branch.
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %h: memref<?xf32>, %n: index) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    scf.if %c {
      %t2 = gpu.dealloc async [%t1] %p : memref<?xf32>
    }
    // expected-error @+1 {{GA304: %p is freed again here if %c is true.}}
    %t3 = gpu.dealloc async [%t1] %p : memref<?xf32>
    gpu.wait [%t1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %h: memref<?xf32>, %n: index) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    scf.if %c {
      %t2 = gpu.dealloc async [%t1] %p : memref<?xf32>
    } else {
      %t3 = gpu.dealloc async [%t1] %p : memref<?xf32>
    }
    gpu.wait [%t1]
    return
  }
}
