// gpuasync: llvm=22
// The plainest way to use device memory: allocate it, free it, no token anywhere. Up to LLVM 22 gpu-to-llvm
// takes gpu.alloc and gpu.dealloc only as async ops with one dependency; it leaves these two as they are.
// LLVM 23 lowers them, on the null stream (llvm-project pull request 191661).
func.func @workspace(%bytes: index, %source: memref<?xi8>) {
  %buffer = gpu.alloc (%bytes) : memref<?xi8>
  %stream = gpu.wait async
  %copied = gpu.memcpy async [%stream] %buffer, %source : memref<?xi8>, memref<?xi8>
  gpu.wait [%copied]
  gpu.dealloc %buffer : memref<?xi8>
  return
}
