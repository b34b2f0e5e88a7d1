//// PUBLIC_EXAMPLE
module attributes {gpu.container_module} {
  func.func @main() {
    %c2 = arith.constant 2 : index
    %5 = memref.alloca (%c2) : memref<?xf32>
    %0 = gpu.wait async
    %1, %2 = gpu.alloc async [%0] (%c2) : memref<?xf32>
    %7 = gpu.memcpy async [%2] %1, %5 : memref<?xf32>, memref<?xf32>
    %3 = gpu.dealloc async [%2] %1 : memref<?xf32> // here
    gpu.wait [%3]
    return
  }
}
//// SYNC
func.func @f(%h: memref<4xf32>, %d: memref<4xf32>) {
  %p = gpu.alloc () : memref<4xf32>
  gpu.memcpy %p, %h : memref<4xf32>, memref<4xf32>
  gpu.memcpy %d, %p : memref<4xf32>, memref<4xf32>
  gpu.dealloc %p : memref<4xf32>
  return
}
