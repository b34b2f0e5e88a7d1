module attributes {gpu.container_module} {
  func.func @copy(%from: memref<3x4xf32>, %to: memref<3x4xf32>) {
    %t0 = gpu.wait async
    %buffer, %t1 = gpu.alloc async [%t0] () : memref<3x4xf32>
    %t2 = gpu.memcpy async [%t1] %buffer, %from : memref<3x4xf32>, memref<3x4xf32>
    %t3 = gpu.memcpy async [%t2] %to, %buffer : memref<3x4xf32>, memref<3x4xf32>
    %t4 = gpu.dealloc async [%t3] %buffer : memref<3x4xf32>
    gpu.wait [%t4]
    return
  }
}
