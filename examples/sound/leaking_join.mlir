// The same join, with its two streams released. By the time the last wait returns their work is long done, so
// these two waits cost nothing and destroy one stream each.
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
  gpu.wait [%a_filled, %b_filled]
  return
}
