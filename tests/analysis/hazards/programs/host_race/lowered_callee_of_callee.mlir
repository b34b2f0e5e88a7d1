// A stream object goes through two functions; the host stores before it waits for it.
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
llvm.func @leaf(%s: !llvm.ptr, %p: !llvm.ptr, %v: f32) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  llvm.return
}
llvm.func @mid(%p: !llvm.ptr, %v: f32, %s: !llvm.ptr) {
  %hi = llvm.getelementptr %p[256] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.call @leaf(%s, %hi, %v) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  llvm.call @leaf(%s, %p, %v) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  llvm.return
}
llvm.func @main(%p: !llvm.ptr, %v: f32) -> f32 {
  %s = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  llvm.call @mid(%p, %v, %s) : (!llvm.ptr, f32, !llvm.ptr) -> ()
  // expected-warning @+1 {{GA302: The host writes %p while work of @mid that writes it may still be running.}}
  llvm.store %v, %p : f32, !llvm.ptr
  llvm.call @mgpuStreamSynchronize(%s) : (!llvm.ptr) -> ()
  %x = llvm.load %p : !llvm.ptr -> f32
  llvm.return %x : f32
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
llvm.func @leaf(%s: !llvm.ptr, %p: !llvm.ptr, %v: f32) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  llvm.return
}
llvm.func @mid(%p: !llvm.ptr, %v: f32, %s: !llvm.ptr) {
  %hi = llvm.getelementptr %p[256] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.call @leaf(%s, %hi, %v) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  llvm.call @leaf(%s, %p, %v) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  llvm.return
}
llvm.func @main(%p: !llvm.ptr, %v: f32) -> f32 {
  %s = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  llvm.call @mid(%p, %v, %s) : (!llvm.ptr, f32, !llvm.ptr) -> ()
  llvm.call @mgpuStreamSynchronize(%s) : (!llvm.ptr) -> ()
  llvm.store %v, %p : f32, !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> f32
  llvm.return %x : f32
}
}
