func.func @fork(%a: memref<64xf32>, %b: memref<64xf32>, %host: memref<64xf32>) {
  %stream = gpu.wait async
  %left = gpu.memcpy async [%stream] %a, %host : memref<64xf32>, memref<64xf32>
  %right = gpu.memcpy async [%stream] %b, %host : memref<64xf32>, memref<64xf32>
  gpu.wait [%right]
  return
}
