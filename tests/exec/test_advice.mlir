//// MODULE
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @k() kernel {{
      gpu.return
    }}
  }}
  func.func @main(%a: memref<4xf32>, %b: memref<4xf32>) {{
    %n = arith.constant 1 : index
    %s = gpu.wait async
    %t = gpu.wait async
    {op}
    return
  }}
}}
