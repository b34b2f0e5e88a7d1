// Functions of the llvm dialect that launch, and wait, for their callers.
module attributes {gpu.container_module} {
gpu.module @m {
  llvm.func @w(%p: !llvm.ptr, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %g = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %v, %g : f32, !llvm.ptr
    llvm.return
  }
}
llvm.func @cuStreamSynchronize(!llvm.ptr) -> i32
llvm.func @mgpuStreamCreate() -> !llvm.ptr
llvm.func @mgpuStreamSynchronize(!llvm.ptr)
llvm.func @mgpuStreamDestroy(!llvm.ptr)
llvm.func internal @launch(%s: !llvm.ptr, %p: !llvm.ptr, %v: f32) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  llvm.return
}
llvm.func internal @finish(%s: !llvm.ptr) {
  llvm.call @mgpuStreamSynchronize(%s) : (!llvm.ptr) -> ()
  llvm.call @mgpuStreamDestroy(%s) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @main(%p: !llvm.ptr, %v: f32) -> f32 {
  %s = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
  llvm.call @launch(%s, %p, %v) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  llvm.call @launch(%s, %p, %v) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  llvm.call @finish(%s) : (!llvm.ptr) -> ()
  %x = llvm.load %p : !llvm.ptr -> f32
  llvm.return %x : f32
}
llvm.func @wrapper(%p: !llvm.ptr, %v: f32) -> f32 {
  %x = llvm.call @main(%p, %v) : (!llvm.ptr, f32) -> f32
  %y = llvm.call @main(%p, %x) : (!llvm.ptr, f32) -> f32
  llvm.return %y : f32
}
}
