//// PROGRAM
func.func @first() {
  return
}
func.func @main() {
  %t = gpu.wait async
  gpu.wait [%t]
  return
}
