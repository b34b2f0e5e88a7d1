//// TEXT

func.func private @look(%d: memref<8xf32> {ATTRIBUTE})
func.func @main(%d: memref<8xf32>, %h: memref<8xf32>) {
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %h, %d : memref<8xf32>, memref<8xf32>
  func.call @look(%d) : (memref<8xf32>) -> ()
  gpu.wait [%a]
  return
}
