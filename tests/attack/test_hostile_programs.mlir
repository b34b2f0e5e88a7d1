//// FLAT
module attributes {gpu.container_module} {
  gpu.module @here {
    gpu.func @k() kernel { gpu.return }
  }
  func.func @f() {
    %c = arith.constant 1 : index
    gpu.launch_func @KERNEL blocks in (%c, %c, %c) threads in (%c, %c, %c)
    return
  }
}
