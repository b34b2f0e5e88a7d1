// One blocking wait for the last token of the stream: it covers all that was enqueued before it.
func.func @scratch(%length: index) {
  %stream = gpu.wait async
  %left, %left_ready = gpu.alloc async [%stream] (%length) : memref<?xf32>
  %right, %right_ready = gpu.alloc async [%left_ready] (%length) : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %cleared = gpu.memset async [%right_ready] %left, %zero : memref<?xf32>, f32
  %copied = gpu.memcpy async [%cleared] %right, %left : memref<?xf32>, memref<?xf32>
  %left_gone = gpu.dealloc async [%copied] %left : memref<?xf32>
  %right_gone = gpu.dealloc async [%left_gone] %right : memref<?xf32>
  gpu.wait [%right_gone]
  return
}
