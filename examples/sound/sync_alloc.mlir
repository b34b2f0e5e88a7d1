// gpuasync: llvm=24
// Synchronous gpu.alloc and gpu.dealloc lower from LLVM 23 on.
func.func @workspace(%bytes: index, %source: memref<?xi8>) {
  %buffer = gpu.alloc (%bytes) : memref<?xi8>
  %stream = gpu.wait async
  %copied = gpu.memcpy async [%stream] %buffer, %source : memref<?xi8>, memref<?xi8>
  gpu.wait [%copied]
  gpu.dealloc %buffer : memref<?xi8>
  return
}
