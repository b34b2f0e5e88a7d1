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
//// KERNEL
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @k(%c: complex<f32>, %e: f8E8M0FNU) kernel {{
      %v = {op}
      gpu.return
    }}
  }}
  func.func @main(%c: complex<f32>, %e: f8E8M0FNU) {{
    %n = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
        args(%c : complex<f32>, %e : f8E8M0FNU)
    return
  }}
}}
