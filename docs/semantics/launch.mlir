module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @scale() attributes {gpu.kernel} {
      llvm.return
    }
  }
  func.func @launch(%a: memref<64xf32>, %host: memref<64xf32>) {
    %one = arith.constant 1 : index
    %first = gpu.wait async
    %left = gpu.memcpy async [%first] %a, %host : memref<64xf32>, memref<64xf32>
    %second = gpu.wait async
    %done = gpu.launch_func async [%left, %second] @kernels::@scale
      blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.wait [%done]
    gpu.wait [%second]
    return
  }
}
