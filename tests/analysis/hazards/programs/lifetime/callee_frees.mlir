// Callee frees.
module attributes {gpu.container_module} {
  func.func private @drop(%p: memref<?xf32>, %s: !gpu.async.token) {
    %t = gpu.dealloc async [%s] %p : memref<?xf32>
    return
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    func.call @drop(%p, %s) : (memref<?xf32>, !gpu.async.token) -> ()
    // expected-error @+1 {{GA303: This gpu.memcpy uses %p after it was freed.}}
    %t2 = gpu.memcpy async [%s] %h, %p : memref<?xf32>, memref<?xf32>
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @drop(%p: memref<?xf32>, %s: !gpu.async.token) {
    %t = gpu.dealloc async [%s] %p : memref<?xf32>
    return
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    %t2 = gpu.memcpy async [%s] %h, %p : memref<?xf32>, memref<?xf32>
    func.call @drop(%p, %s) : (memref<?xf32>, !gpu.async.token) -> ()
    gpu.wait [%s]
    return
  }
}
