// A host function in the llvm dialect that still has ops of gpu; both kernels come to the element in the middle.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %g = llvm.icmp "ule" %i, %n : i64
      llvm.cond_br %g, ^work, ^out
    ^work:
      %a = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.br ^out
    ^out:
      llvm.return
    }
    llvm.func @hi(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %g = llvm.icmp "uge" %i, %n : i64
      llvm.cond_br %g, ^work, ^out
    ^work:
      %a = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.br ^out
    ^out:
      llvm.return
    }
  }
  llvm.func @main(%p: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    %threads = llvm.mlir.constant(64 : i64) : i64
    %half = llvm.mlir.constant(32 : i64) : i64
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %half : i64)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that writes it may still be running.}}
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %half : i64)
    gpu.wait [%k0, %k1]
    llvm.return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %g = llvm.icmp "ult" %i, %n : i64
      llvm.cond_br %g, ^work, ^out
    ^work:
      %a = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.br ^out
    ^out:
      llvm.return
    }
    llvm.func @hi(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %g = llvm.icmp "uge" %i, %n : i64
      llvm.cond_br %g, ^work, ^out
    ^work:
      %a = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.br ^out
    ^out:
      llvm.return
    }
  }
  llvm.func @main(%p: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    %threads = llvm.mlir.constant(64 : i64) : i64
    %half = llvm.mlir.constant(32 : i64) : i64
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %half : i64)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %half : i64)
    gpu.wait [%k0, %k1]
    llvm.return
  }
}
