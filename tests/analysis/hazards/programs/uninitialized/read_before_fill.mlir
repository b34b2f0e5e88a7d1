// Read before fill.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    // expected-warning @+1 {{GA305: This gpu.launch_func reads %p, which nothing has written.}}
    %l = gpu.launch_func async [%s] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<?xf32>, %h : memref<?xf32>)
    %f = gpu.dealloc async [%l] %p : memref<?xf32>
    gpu.wait [%f]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %z = gpu.memset async [%t0] %p, %f0 : memref<?xf32>, f32
    %l = gpu.launch_func async [%s] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<?xf32>, %h : memref<?xf32>)
    %f = gpu.dealloc async [%l] %p : memref<?xf32>
    gpu.wait [%f]
    return
  }
}
