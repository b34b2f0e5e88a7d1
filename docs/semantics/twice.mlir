func.func @twice(%a: memref<64xf32>, %b: memref<64xf32>, %host: memref<64xf32>) {
  %stream = gpu.wait async
  %left = gpu.memcpy async [%stream] %a, %host : memref<64xf32>, memref<64xf32>
  %right = gpu.memcpy async [%left] %b, %host : memref<64xf32>, memref<64xf32>
  gpu.wait [%left, %right]
  return
}
