//// TEXT
func.func @other() {
  return
}
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>) {
  %s = gpu.wait async
  %r = gpu.wait async
  %t = gpu.memcpy async [%s] %a, %b : memref<8xf32>, memref<8xf32>
  gpu.wait [%t, %r]
  gpu.wait [%nothing]
  gpu.wait
  return
}
