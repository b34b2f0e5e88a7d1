// One dependency is enough: %copied follows %ready on the same stream. Run gpu-async-region on code without
// tokens, or thread the tokens yourself; both together end as in ../broken/region_pass.mlir.
func.func @upload(%length: index, %input: memref<?xf32>) {
  %stream = gpu.wait async
  %buffer, %ready = gpu.alloc async [%stream] (%length) : memref<?xf32>
  %copied = gpu.memcpy async [%ready] %buffer, %input : memref<?xf32>, memref<?xf32>
  %gone = gpu.dealloc async [%copied] %buffer : memref<?xf32>
  gpu.wait [%gone]
  return
}
