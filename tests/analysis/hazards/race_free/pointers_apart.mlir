// Two halves of what a pointer leads to.
module attributes {gpu.container_module} {
gpu.module @m {
  llvm.func @w(%p: !llvm.ptr, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %g = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %v, %g : f32, !llvm.ptr
    llvm.return
  }
}
llvm.func @cudaDeviceSynchronize() -> i32
llvm.func @main(%p: !llvm.ptr, %v: f32, %s: !llvm.ptr, %u: !llvm.ptr) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %hi = llvm.getelementptr %p[64] : (!llvm.ptr) -> !llvm.ptr, f32
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  gpu.launch_func <%u : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%hi : !llvm.ptr, %v : f32)
  %r = llvm.call @cudaDeviceSynchronize() : () -> i32
  llvm.store %v, %hi : f32, !llvm.ptr
  llvm.return
}
}
