// Kernels on two stream objects, behind a pointer and behind one further on.
module attributes {gpu.container_module} {
gpu.module @m {
  llvm.func @w(%p: !llvm.ptr, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %g = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %v, %g : f32, !llvm.ptr
    llvm.return
  }
  llvm.func @r(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %g = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %x = llvm.load %g : !llvm.ptr -> f32
    %h = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %x, %h : f32, !llvm.ptr
    llvm.return
  }
}
llvm.func @mgpuStreamCreate() -> !llvm.ptr
llvm.func @mgpuStreamSynchronize(!llvm.ptr)
llvm.func @mgpuStreamDestroy(!llvm.ptr)
llvm.func @mgpuStreamWaitEvent(!llvm.ptr, !llvm.ptr)
llvm.func @mgpuEventCreate() -> !llvm.ptr
llvm.func @mgpuEventRecord(!llvm.ptr, !llvm.ptr)
llvm.func @mgpuEventDestroy(!llvm.ptr)
llvm.func @main(%p: !llvm.ptr, %v: f32, %s: !llvm.ptr, %u: !llvm.ptr) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %k = llvm.mlir.constant(63 : i64) : i64
  %hi = llvm.getelementptr %p[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that writes it may still be running.}}
  gpu.launch_func <%u : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%hi : !llvm.ptr, %v : f32)
  llvm.return
}
}
// -----
module attributes {gpu.container_module} {
gpu.module @m {
  llvm.func @w(%p: !llvm.ptr, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %g = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %v, %g : f32, !llvm.ptr
    llvm.return
  }
  llvm.func @r(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %g = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %x = llvm.load %g : !llvm.ptr -> f32
    %h = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %x, %h : f32, !llvm.ptr
    llvm.return
  }
}
llvm.func @mgpuStreamCreate() -> !llvm.ptr
llvm.func @mgpuStreamSynchronize(!llvm.ptr)
llvm.func @mgpuStreamDestroy(!llvm.ptr)
llvm.func @mgpuStreamWaitEvent(!llvm.ptr, !llvm.ptr)
llvm.func @mgpuEventCreate() -> !llvm.ptr
llvm.func @mgpuEventRecord(!llvm.ptr, !llvm.ptr)
llvm.func @mgpuEventDestroy(!llvm.ptr)
llvm.func @main(%p: !llvm.ptr, %v: f32, %s: !llvm.ptr, %u: !llvm.ptr) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %k = llvm.mlir.constant(64 : i64) : i64
  %hi = llvm.getelementptr %p[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  gpu.launch_func <%u : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%hi : !llvm.ptr, %v : f32)
  llvm.return
}
}
