//// UNMARKED
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() {
      %c = arith.constant 1 : i32
      gpu.return
    }
  }
  func.func @f(%n: index) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
