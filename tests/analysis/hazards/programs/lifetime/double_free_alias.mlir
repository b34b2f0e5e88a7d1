// Double free alias.
module attributes {gpu.container_module} {
  func.func @main(%n: index) {
    %s = gpu.wait async
    %d, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %e = memref.cast %d : memref<?xf32> to memref<16xf32>
    %t1 = gpu.dealloc async [%t0] %e : memref<16xf32>
    // expected-error @+1 {{GA304: %d is freed again here.}}
    %t2 = gpu.dealloc async [%t1] %d : memref<?xf32>
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%n: index) {
    %s = gpu.wait async
    %d, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %e = memref.cast %d : memref<?xf32> to memref<16xf32>
    %t1 = gpu.dealloc async [%t0] %e : memref<16xf32>
    gpu.wait [%s]
    return
  }
}
