// Two buffers live on one stream, and the copy that needs both names the tokens of both. Every LLVM version
// lowers gpu.memcpy with exactly one dependency: LLVM 16 and 17 stop with an error, later ones leave the copy
// where it is, exit with status 0, and say nothing.
//
//   gpuasync-lsp check examples/broken/two_dependencies.mlir
//   gpuasync-lsp check --diff examples/broken/two_dependencies.mlir
func.func @duplicate(%rows: index, %input: memref<?xf32>) {
  %stream = gpu.wait async
  %front, %front_ready = gpu.alloc async [%stream] (%rows) : memref<?xf32>
  %filled = gpu.memcpy async [%front_ready] %front, %input : memref<?xf32>, memref<?xf32>
  %back, %back_ready = gpu.alloc async [%stream] (%rows) : memref<?xf32>
  %copied = gpu.memcpy async [%filled, %back_ready] %back, %front : memref<?xf32>, memref<?xf32>
  %front_gone = gpu.dealloc async [%copied] %front : memref<?xf32>
  %back_gone = gpu.dealloc async [%front_gone] %back : memref<?xf32>
  gpu.wait [%back_gone]
  return
}
