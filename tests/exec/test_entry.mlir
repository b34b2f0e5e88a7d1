//// MODULE
module attributes {{gpu.container_module}} {{
  gpu.module @idle {{
    gpu.func @k() kernel {{
      "test.of_no_kernel"() : () -> ()
      gpu.return
    }}
  }}
  func.func @leaf(%a: memref<4xf32>) {{
    %t = gpu.wait async
    {leaf}
    return
  }}
  func.func @middle(%a: memref<4xf32>) {{
    call @leaf(%a) : (memref<4xf32>) -> ()
    return
  }}
  func.func @launches(%n: index) {{
    gpu.launch_func @idle::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }}
  func.func @main(%a: memref<4xf32>) {{
    {main}
    return
  }}
}}
