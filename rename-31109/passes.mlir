// -----// IR Dump Before Canonicalizer (canonicalize) //----- //
module {
  func.func @upload(%arg0: memref<1024xf32>, %arg1: memref<1024xf32>, %arg2: memref<1024xf32, 1>, %arg3: memref<1024xf32, 1>) {
    %0 = gpu.wait async
    %1 = gpu.memcpy async [%0] %arg2, %arg0 : memref<1024xf32, 1>, memref<1024xf32>
    %2 = gpu.wait async
    %3 = gpu.memcpy async [%2] %arg3, %arg1 : memref<1024xf32, 1>, memref<1024xf32>
    gpu.wait [%1, %3]
    return
  }
}


// -----// IR Dump After Canonicalizer (canonicalize) //----- //
module {
  func.func @upload(%arg0: memref<1024xf32>, %arg1: memref<1024xf32>, %arg2: memref<1024xf32, 1>, %arg3: memref<1024xf32, 1>) {
    %0 = gpu.wait async
    %1 = gpu.memcpy async [%0] %arg2, %arg0 : memref<1024xf32, 1>, memref<1024xf32>
    %2 = gpu.wait async
    %3 = gpu.memcpy async [%2] %arg3, %arg1 : memref<1024xf32, 1>, memref<1024xf32>
    gpu.wait [%1, %3]
    return
  }
}


// -----// IR Dump Before GpuAsyncRegionPass (gpu-async-region) //----- //
func.func @upload(%arg0: memref<1024xf32>, %arg1: memref<1024xf32>, %arg2: memref<1024xf32, 1>, %arg3: memref<1024xf32, 1>) {
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %arg2, %arg0 : memref<1024xf32, 1>, memref<1024xf32>
  %2 = gpu.wait async
  %3 = gpu.memcpy async [%2] %arg3, %arg1 : memref<1024xf32, 1>, memref<1024xf32>
  gpu.wait [%1, %3]
  return
}

// -----// IR Dump After GpuAsyncRegionPass (gpu-async-region) //----- //
func.func @upload(%arg0: memref<1024xf32>, %arg1: memref<1024xf32>, %arg2: memref<1024xf32, 1>, %arg3: memref<1024xf32, 1>) {
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %arg2, %arg0 : memref<1024xf32, 1>, memref<1024xf32>
  %2 = gpu.wait async [%1]
  %3 = gpu.memcpy async [%2] %arg3, %arg1 : memref<1024xf32, 1>, memref<1024xf32>
  gpu.wait [%1, %3]
  return
}

// -----// IR Dump Before Canonicalizer (canonicalize) //----- //
module {
  func.func @upload(%arg0: memref<1024xf32>, %arg1: memref<1024xf32>, %arg2: memref<1024xf32, 1>, %arg3: memref<1024xf32, 1>) {
    %0 = gpu.wait async
    %1 = gpu.memcpy async [%0] %arg2, %arg0 : memref<1024xf32, 1>, memref<1024xf32>
    %2 = gpu.wait async [%1]
    %3 = gpu.memcpy async [%2] %arg3, %arg1 : memref<1024xf32, 1>, memref<1024xf32>
    gpu.wait [%1, %3]
    return
  }
}


// -----// IR Dump After Canonicalizer (canonicalize) //----- //
module {
  func.func @upload(%arg0: memref<1024xf32>, %arg1: memref<1024xf32>, %arg2: memref<1024xf32, 1>, %arg3: memref<1024xf32, 1>) {
    %0 = gpu.wait async
    %1 = gpu.memcpy async [%0] %arg2, %arg0 : memref<1024xf32, 1>, memref<1024xf32>
    %2 = gpu.memcpy async [%1] %arg3, %arg1 : memref<1024xf32, 1>, memref<1024xf32>
    gpu.wait [%1, %2]
    return
  }
}


// -----// IR Dump Before GpuToLLVMConversionPass (gpu-to-llvm) //----- //
module {
  func.func @upload(%arg0: memref<1024xf32>, %arg1: memref<1024xf32>, %arg2: memref<1024xf32, 1>, %arg3: memref<1024xf32, 1>) {
    %0 = gpu.wait async
    %1 = gpu.memcpy async [%0] %arg2, %arg0 : memref<1024xf32, 1>, memref<1024xf32>
    %2 = gpu.memcpy async [%1] %arg3, %arg1 : memref<1024xf32, 1>, memref<1024xf32>
    gpu.wait [%1, %2]
    return
  }
}


// -----// IR Dump After GpuToLLVMConversionPass (gpu-to-llvm) //----- //
module {
  llvm.func @upload(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: !llvm.ptr, %arg6: !llvm.ptr, %arg7: i64, %arg8: i64, %arg9: i64, %arg10: !llvm.ptr<1>, %arg11: !llvm.ptr<1>, %arg12: i64, %arg13: i64, %arg14: i64, %arg15: !llvm.ptr<1>, %arg16: !llvm.ptr<1>, %arg17: i64, %arg18: i64, %arg19: i64) {
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = llvm.insertvalue %arg5, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %2 = llvm.insertvalue %arg6, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %3 = llvm.insertvalue %arg7, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %4 = llvm.insertvalue %arg8, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %5 = llvm.insertvalue %arg9, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %6 = llvm.mlir.poison : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)>
    %7 = llvm.insertvalue %arg15, %6[0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %8 = llvm.insertvalue %arg16, %7[1] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %9 = llvm.insertvalue %arg17, %8[2] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %10 = llvm.insertvalue %arg18, %9[3, 0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %11 = llvm.insertvalue %arg19, %10[4, 0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %12 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %13 = llvm.insertvalue %arg0, %12[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %14 = llvm.insertvalue %arg1, %13[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %15 = llvm.insertvalue %arg2, %14[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %16 = llvm.insertvalue %arg3, %15[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %17 = llvm.insertvalue %arg4, %16[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %18 = llvm.mlir.poison : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)>
    %19 = llvm.insertvalue %arg10, %18[0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %20 = llvm.insertvalue %arg11, %19[1] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %21 = llvm.insertvalue %arg12, %20[2] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %22 = llvm.insertvalue %arg13, %21[3, 0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %23 = llvm.insertvalue %arg14, %22[4, 0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %24 = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
    %25 = llvm.mlir.constant(1024 : index) : i64
    %26 = llvm.mlir.zero : !llvm.ptr
    %27 = llvm.getelementptr %26[%25] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %28 = llvm.ptrtoint %27 : !llvm.ptr to i64
    %29 = llvm.extractvalue %17[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %30 = llvm.extractvalue %23[1] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %31 = llvm.addrspacecast %30 : !llvm.ptr<1> to !llvm.ptr
    llvm.call @mgpuMemcpy(%31, %29, %28, %24) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
    %32 = llvm.mlir.constant(1024 : index) : i64
    %33 = llvm.mlir.zero : !llvm.ptr
    %34 = llvm.getelementptr %33[%32] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %35 = llvm.ptrtoint %34 : !llvm.ptr to i64
    %36 = llvm.extractvalue %5[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %37 = llvm.extractvalue %11[1] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> 
    %38 = llvm.addrspacecast %37 : !llvm.ptr<1> to !llvm.ptr
    llvm.call @mgpuMemcpy(%38, %36, %35, %24) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
    llvm.call @mgpuStreamSynchronize(%24) : (!llvm.ptr) -> ()
    llvm.call @mgpuStreamDestroy(%24) : (!llvm.ptr) -> ()
    llvm.call @mgpuStreamSynchronize(%24) : (!llvm.ptr) -> ()
    llvm.call @mgpuStreamDestroy(%24) : (!llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @mgpuStreamCreate() -> !llvm.ptr
  llvm.func @mgpuMemcpy(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
  llvm.func @mgpuStreamSynchronize(!llvm.ptr)
  llvm.func @mgpuStreamDestroy(!llvm.ptr)
}


