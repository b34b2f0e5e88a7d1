// One stream runs its work in order, so a token stands for everything before it: the last one is enough.
func.func @duplicate(%rows: index, %input: memref<?xf32>) {
  %stream = gpu.wait async
  %front, %front_ready = gpu.alloc async [%stream] (%rows) : memref<?xf32>
  %filled = gpu.memcpy async [%front_ready] %front, %input : memref<?xf32>, memref<?xf32>
  %back, %back_ready = gpu.alloc async [%filled] (%rows) : memref<?xf32>
  %copied = gpu.memcpy async [%back_ready] %back, %front : memref<?xf32>, memref<?xf32>
  %front_gone = gpu.dealloc async [%copied] %front : memref<?xf32>
  %back_gone = gpu.dealloc async [%front_gone] %back : memref<?xf32>
  gpu.wait [%back_gone]
  return
}
