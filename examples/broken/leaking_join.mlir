// Two uploads run on two streams, and the copy between the buffers has to follow both. The join
// `gpu.wait async [a, b]` orders them right, on a third stream. But it neither reuses nor destroys the two:
// each call of this function leaves two streams behind.
func.func @merge(%upper: memref<256xf32>, %lower: memref<256xf32>) {
  %first = gpu.wait async
  %a, %a_ready = gpu.alloc async [%first] () : memref<256xf32>
  %a_filled = gpu.memcpy async [%a_ready] %a, %upper : memref<256xf32>, memref<256xf32>
  %second = gpu.wait async
  %b, %b_ready = gpu.alloc async [%second] () : memref<256xf32>
  %b_filled = gpu.memcpy async [%b_ready] %b, %lower : memref<256xf32>, memref<256xf32>
  %both = gpu.wait async [%a_filled, %b_filled]
  %copied = gpu.memcpy async [%both] %a, %b : memref<256xf32>, memref<256xf32>
  %a_gone = gpu.dealloc async [%copied] %a : memref<256xf32>
  %b_gone = gpu.dealloc async [%a_gone] %b : memref<256xf32>
  gpu.wait [%b_gone]
  return
}
