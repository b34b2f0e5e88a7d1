//// _KERNEL
module attributes {{gpu.container_module}} {{
  gpu.module @m {{
    llvm.func @k(%p: !llvm.ptr, %n: i64, %c: i1) attributes {{gpu.kernel}} {{
      {}
      llvm.return
    }}
  }}
}}
