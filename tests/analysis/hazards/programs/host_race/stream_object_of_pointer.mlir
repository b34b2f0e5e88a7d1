// A kernel gets the address of a memref, on a stream object.
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
func.func @host(%m: memref<64xf32>, %v: f32, %s: !llvm.ptr) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %i = memref.extract_aligned_pointer_as_index %m : memref<64xf32> -> index
  %j = arith.index_cast %i : index to i64
  %p = llvm.inttoptr %j : i64 to !llvm.ptr
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  // expected-warning @+1 {{GA302: The host reads %m while the gpu.launch_func that writes it may still be running.}}
  %x = memref.load %m[%c0] : memref<64xf32>
  return %x : f32
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
func.func @host(%m: memref<64xf32>, %v: f32, %s: !llvm.ptr) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %i = memref.extract_aligned_pointer_as_index %m : memref<64xf32> -> index
  %j = arith.index_cast %i : index to i64
  %p = llvm.inttoptr %j : i64 to !llvm.ptr
  gpu.launch_func <%s : !llvm.ptr> @m::@w blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%p : !llvm.ptr, %v : f32)
  llvm.call @mgpuStreamSynchronize(%s) : (!llvm.ptr) -> ()
  %x = memref.load %m[%c0] : memref<64xf32>
  return %x : f32
}
}
