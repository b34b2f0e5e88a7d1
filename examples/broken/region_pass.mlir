// What the gpu-async-region pass left of a function whose author had already threaded tokens through it. The
// pass keeps a token of its own and puts it before the dependencies it finds: the gpu.dealloc, which had one,
// has two now and no longer lowers. The pass is meant for code without tokens.
func.func @upload(%length: index, %input: memref<?xf32>) {
  %stream = gpu.wait async
  %buffer, %ready = gpu.alloc async [%stream] (%length) : memref<?xf32>
  %copied = gpu.memcpy async [%ready] %buffer, %input : memref<?xf32>, memref<?xf32>
  %gone = gpu.dealloc async [%copied, %ready] %buffer : memref<?xf32>
  gpu.wait [%gone]
  return
}
