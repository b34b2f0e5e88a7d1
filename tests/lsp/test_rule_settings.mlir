//// PROGRAM
module attributes {gpu.container_module} {
  func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
    gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>
    %t0 = gpu.wait async
    %t1 = gpu.memcpy async [%t0] %a, %b : memref<4xf32>, memref<4xf32>
    gpu.wait
    return
  }
}
