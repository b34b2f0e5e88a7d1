module attributes {gpu.container_module} {
  func.func @pipeline(%x: memref<1024xf32>, %y: memref<1024xf32>, %value: f32) {
    %t0 = gpu.wait async
    %a, %t1 = gpu.alloc async [%t0] () : memref<1024xf32>
    %t2 = gpu.memcpy async [%t1] %a, %x : memref<1024xf32>, memref<1024xf32>

    %t3 = gpu.wait async
    %b, %t4 = gpu.alloc async [%t3] () : memref<1024xf32>
    %t5 = gpu.memset async [%t4] %b, %value : memref<1024xf32>, f32

    %t6 = gpu.wait async [%t2, %t5]
    %t7 = gpu.memcpy async [%t6] %b, %a : memref<1024xf32>, memref<1024xf32>
    %t8 = gpu.memcpy async [%t7] %y, %b : memref<1024xf32>, memref<1024xf32>
    %t9 = gpu.dealloc async [%t8] %a : memref<1024xf32>
    %t10 = gpu.dealloc async [%t9] %b : memref<1024xf32>
    gpu.wait [%t10, %t2, %t5]
    return
  }
}
