module attributes {gpu.container_module} {
  func.func @main() {
    %c2 = arith.constant 2 : index
    %t0 = gpu.wait async
    %a, %t1 = gpu.alloc async [%t0] (%c2) : memref<?xf32>
    %b, %t2 = gpu.alloc async [%t1] (%c2) : memref<?xf32>
    %t3 = gpu.memcpy async [%t1, %t2] %a, %b : memref<?xf32>, memref<?xf32>
    %t4 = gpu.dealloc async [%t3] %a : memref<?xf32>
    %t5 = gpu.dealloc async [%t4] %b : memref<?xf32>
    gpu.wait [%t5]
    return
  }
}
