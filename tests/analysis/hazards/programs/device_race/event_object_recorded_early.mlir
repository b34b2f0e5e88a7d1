// An event that the runtime records before the launch, or behind it.
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
llvm.func @main(%p: !llvm.ptr, %q: !llvm.ptr, %v: f32) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %s = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  %u = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  %e = llvm.call @mgpuEventCreate() : () -> !llvm.ptr
  llvm.call @mgpuEventRecord(%e, %s) : (!llvm.ptr, !llvm.ptr) -> ()
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  llvm.call @mgpuStreamWaitEvent(%u, %e) : (!llvm.ptr, !llvm.ptr) -> ()
  // expected-warning @+1 {{GA301: This gpu.launch_func reads %p while the earlier gpu.launch_func that writes it may still be running.}}
  gpu.launch_func <%u : !llvm.ptr> @m::@r blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %q : !llvm.ptr)
  llvm.call @mgpuStreamSynchronize(%u) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamSynchronize(%s) : (!llvm.ptr) -> ()
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
llvm.func @main(%p: !llvm.ptr, %q: !llvm.ptr, %v: f32) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %s = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  %u = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  %e = llvm.call @mgpuEventCreate() : () -> !llvm.ptr
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  llvm.call @mgpuEventRecord(%e, %s) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.call @mgpuStreamWaitEvent(%u, %e) : (!llvm.ptr, !llvm.ptr) -> ()
  gpu.launch_func <%u : !llvm.ptr> @m::@r blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %q : !llvm.ptr)
  llvm.call @mgpuStreamSynchronize(%u) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamSynchronize(%s) : (!llvm.ptr) -> ()
  llvm.return
}
}
