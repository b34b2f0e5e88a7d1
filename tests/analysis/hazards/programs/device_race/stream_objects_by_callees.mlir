// Functions of the llvm dialect launch on streams that they are given as pointers: two streams, or one.
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
llvm.func @produce(%t: !llvm.ptr, %p: !llvm.ptr, %v: f32) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  gpu.launch_func <%t : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  llvm.return
}
llvm.func @consume(%t: !llvm.ptr, %p: !llvm.ptr, %q: !llvm.ptr) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  gpu.launch_func <%t : !llvm.ptr> @m::@r blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %q : !llvm.ptr)
  llvm.return
}
llvm.func @main(%p: !llvm.ptr, %q: !llvm.ptr, %v: f32) {
  %s0 = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  %s1 = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  llvm.call @produce(%s0, %p, %v) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  // expected-warning @+1 {{GA301: This llvm.call reads %p while work of @produce that writes it may still be running.}}
  llvm.call @consume(%s1, %p, %q) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @mgpuStreamSynchronize(%s0) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamSynchronize(%s1) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamDestroy(%s0) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamDestroy(%s1) : (!llvm.ptr) -> ()
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
llvm.func @produce(%t: !llvm.ptr, %p: !llvm.ptr, %v: f32) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  gpu.launch_func <%t : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  llvm.return
}
llvm.func @consume(%t: !llvm.ptr, %p: !llvm.ptr, %q: !llvm.ptr) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  gpu.launch_func <%t : !llvm.ptr> @m::@r blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %q : !llvm.ptr)
  llvm.return
}
llvm.func @main(%p: !llvm.ptr, %q: !llvm.ptr, %v: f32) {
  %s0 = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  %s1 = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  llvm.call @produce(%s0, %p, %v) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  llvm.call @consume(%s0, %p, %q) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @mgpuStreamSynchronize(%s0) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamSynchronize(%s1) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamDestroy(%s0) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamDestroy(%s1) : (!llvm.ptr) -> ()
  llvm.return
}
}
