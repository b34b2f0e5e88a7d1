// A blocking gpu.wait synchronizes and destroys the stream of each token it takes. Both tokens here belong to
// one stream, so its handle is destroyed twice. Every LLVM version lowers this without a word, and
// --canonicalize does not mend it. It is an easy thing to write: two deallocations, so wait for both.
func.func @scratch(%length: index) {
  %stream = gpu.wait async
  %left, %left_ready = gpu.alloc async [%stream] (%length) : memref<?xf32>
  %right, %right_ready = gpu.alloc async [%stream] (%length) : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %cleared = gpu.memset async [%right_ready] %left, %zero : memref<?xf32>, f32
  %copied = gpu.memcpy async [%cleared] %right, %left : memref<?xf32>, memref<?xf32>
  %left_gone = gpu.dealloc async [%copied] %left : memref<?xf32>
  %right_gone = gpu.dealloc async [%copied] %right : memref<?xf32>
  gpu.wait [%left_gone, %right_gone]
  return
}
