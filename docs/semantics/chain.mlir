func.func @chain(%host: memref<64xf32>) {
  %stream = gpu.wait async
  %dev, %ready = gpu.alloc async [%stream] () : memref<64xf32>
  %copied = gpu.memcpy async [%ready] %dev, %host : memref<64xf32>, memref<64xf32>
  %freed = gpu.dealloc async [%copied] %dev : memref<64xf32>
  gpu.wait [%freed]
  return
}
