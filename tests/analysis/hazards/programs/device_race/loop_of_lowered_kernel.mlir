// A loop of branches in the llvm dialect goes one round too far.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %k = llvm.mlir.constant(0 : i64) : i64
      %st = llvm.mlir.constant(16 : i64) : i64
      %end = llvm.mlir.constant(32 : i64) : i64
      %b = llvm.add %i, %k : i64
      %e = llvm.add %end, %k : i64
      llvm.br ^h(%b : i64)
    ^h(%j: i64):
      %g = llvm.icmp "sle" %j, %e : i64
      llvm.cond_br %g, ^w, ^x
    ^w:
      %a = llvm.getelementptr %p[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      %nx = llvm.add %j, %st : i64
      llvm.br ^h(%nx : i64)
    ^x:
      llvm.return
    }
    llvm.func @hi(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %k = llvm.mlir.constant(32 : i64) : i64
      %st = llvm.mlir.constant(16 : i64) : i64
      %end = llvm.mlir.constant(32 : i64) : i64
      %b = llvm.add %i, %k : i64
      %e = llvm.add %end, %k : i64
      llvm.br ^h(%b : i64)
    ^h(%j: i64):
      %g = llvm.icmp "slt" %j, %e : i64
      llvm.cond_br %g, ^w, ^x
    ^w:
      %a = llvm.getelementptr %p[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      %nx = llvm.add %j, %st : i64
      llvm.br ^h(%nx : i64)
    ^x:
      llvm.return
    }
  }
  func.func @main(%p: !llvm.ptr) {
    %one = arith.constant 1 : i64
    %threads = arith.constant 16 : i64
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %one : i64)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that writes it may still be running.}}
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %one : i64)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %k = llvm.mlir.constant(0 : i64) : i64
      %st = llvm.mlir.constant(16 : i64) : i64
      %end = llvm.mlir.constant(32 : i64) : i64
      %b = llvm.add %i, %k : i64
      %e = llvm.add %end, %k : i64
      llvm.br ^h(%b : i64)
    ^h(%j: i64):
      %g = llvm.icmp "slt" %j, %e : i64
      llvm.cond_br %g, ^w, ^x
    ^w:
      %a = llvm.getelementptr %p[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      %nx = llvm.add %j, %st : i64
      llvm.br ^h(%nx : i64)
    ^x:
      llvm.return
    }
    llvm.func @hi(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %k = llvm.mlir.constant(32 : i64) : i64
      %st = llvm.mlir.constant(16 : i64) : i64
      %end = llvm.mlir.constant(32 : i64) : i64
      %b = llvm.add %i, %k : i64
      %e = llvm.add %end, %k : i64
      llvm.br ^h(%b : i64)
    ^h(%j: i64):
      %g = llvm.icmp "slt" %j, %e : i64
      llvm.cond_br %g, ^w, ^x
    ^w:
      %a = llvm.getelementptr %p[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      %nx = llvm.add %j, %st : i64
      llvm.br ^h(%nx : i64)
    ^x:
      llvm.return
    }
  }
  func.func @main(%p: !llvm.ptr) {
    %one = arith.constant 1 : i64
    %threads = arith.constant 16 : i64
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %one : i64)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %one : i64)
    gpu.wait [%k0, %k1]
    return
  }
}
