//// ORDERS
func.func @work(%a: memref<4xf32>, %b: memref<4xf32>) {
  %s = gpu.wait async
  %x = gpu.memcpy async [%s] %a, %b : memref<4xf32>, memref<4xf32>
  gpu.wait [%x]
  return
}
func.func @idle() {
  return
}
//// LAUNCHES
func.func @f(%x: memref<4xf32>, %n: index, %v: f32) {
  %s = gpu.wait async
  %t = gpu.launch async [%s] blocks(%a, %b, %c) in (%d = %n, %e = %n, %g = %n)
      threads(%h, %i, %j) in (%k = %n, %l = %n, %m = %n) {
    memref.store %v, %x[%h] : memref<4xf32>
    gpu.terminator
  }
  gpu.wait [%t]
  return
}
