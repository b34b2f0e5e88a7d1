//// UNLOADED

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f() kernel { gpu.return }
  }
  llvm.mlir.global constant @blob("gpuasync:k\00")
  llvm.mlir.global constant @name("f\00")
  llvm.func @mgpuModuleLoad(!llvm.ptr, i64) -> !llvm.ptr
  llvm.func @mgpuModuleUnload(!llvm.ptr)
  llvm.func @mgpuModuleGetFunction(!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  llvm.func @mgpuLaunchKernel(!llvm.ptr, i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr,
                              !llvm.ptr, i64)
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    %one = llvm.mlir.constant(1 : i64) : i64
    %zero = llvm.mlir.constant(0 : i64) : i64
    %none = llvm.mlir.constant(0 : i32) : i32
    %null = llvm.mlir.zero : !llvm.ptr
    %some = llvm.alloca %one x !llvm.ptr : (i64) -> !llvm.ptr
    %blob = llvm.mlir.addressof @blob : !llvm.ptr
    %name = llvm.mlir.addressof @name : !llvm.ptr
    %m = llvm.call @mgpuModuleLoad(%blob, %zero) : (!llvm.ptr, i64) -> !llvm.ptr
    %f = llvm.call @mgpuModuleGetFunction(%m, %name) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
    llvm.call @mgpuModuleUnload(%m) : (!llvm.ptr) -> () // once
    llvm.call @mgpuLaunchKernel(%f, %one, %one, %one, %one, %one, %one, %none, %null, %some, %null, %zero)
        : (!llvm.ptr, i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
    %g = llvm.call @mgpuModuleGetFunction(%m, %name) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
    llvm.call @mgpuModuleUnload(%m) : (!llvm.ptr) -> () // twice
    return
  }
}
