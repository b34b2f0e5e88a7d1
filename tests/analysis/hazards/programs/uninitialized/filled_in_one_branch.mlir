// Filled in one branch.
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %h: memref<?xf32>, %n: index) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    scf.if %c {
      %z = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    }
    // expected-warning @+1 {{GA305: This gpu.memcpy reads %p, which nothing has written if %c is false.}}
    %l = gpu.memcpy async [%t0] %h, %p : memref<?xf32>, memref<?xf32>
    %f = gpu.dealloc async [%l] %p : memref<?xf32>
    gpu.wait [%f]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %h: memref<?xf32>, %n: index) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    scf.if %c {
      %z = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    } else {
      %y = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
    }
    %l = gpu.memcpy async [%t0] %h, %p : memref<?xf32>, memref<?xf32>
    %f = gpu.dealloc async [%l] %p : memref<?xf32>
    gpu.wait [%f]
    return
  }
}
