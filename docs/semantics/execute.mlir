module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target] {
  }
  func.func @execute(%a: memref<64xf32>, %host: memref<64xf32>) {
    %task, %result = async.execute -> !async.value<!gpu.async.token> {
      %stream = gpu.wait async
      %copied = gpu.memcpy async [%stream] %a, %host : memref<64xf32>, memref<64xf32>
      async.yield %copied : !gpu.async.token
    }
    %token = async.await %result : !async.value<!gpu.async.token>
    gpu.wait [%token]
    return
  }
}
