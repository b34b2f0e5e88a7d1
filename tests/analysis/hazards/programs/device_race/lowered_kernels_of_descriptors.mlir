// Kernels in the llvm dialect, which get the fields of memrefs.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %5 = llvm.insertvalue %arg4, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %6 = llvm.mlir.constant(20 : index) : i64
      %7 = llvm.mlir.constant(1.000000e+00 : f32) : f32
      %8 = nvvm.read.ptx.sreg.tid.x : i32
      %9 = llvm.sext %8 : i32 to i64
      %10 = llvm.icmp "ult" %9, %6 : i64
      llvm.cond_br %10, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      %11 = llvm.extractvalue %5[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %12 = llvm.getelementptr inbounds|nuw %11[%9] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %7, %12 : f32, !llvm.ptr
      llvm.br ^bb2
    ^bb2:  // 2 preds: ^bb0, ^bb1
      llvm.return
    }
    llvm.func @hi(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %5 = llvm.insertvalue %arg4, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %6 = llvm.mlir.constant(19 : index) : i64
      %7 = llvm.mlir.constant(1.000000e+00 : f32) : f32
      %8 = nvvm.read.ptx.sreg.tid.x : i32
      %9 = llvm.sext %8 : i32 to i64
      %10 = llvm.add %9, %6 : i64
      %11 = llvm.extractvalue %5[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %12 = llvm.getelementptr inbounds|nuw %11[%10] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %7, %12 : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @main(%arg0: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %0 = gpu.wait async
    %1 = gpu.wait async
    %2 = gpu.launch_func async [%0] @kernels::@lo blocks in (%c1_0, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %arg0 while the earlier gpu.launch_func that writes it may still be running.}}
    %3 = gpu.launch_func async [%1] @kernels::@hi blocks in (%c1_0, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<64xf32>)
    gpu.wait [%2, %3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %5 = llvm.insertvalue %arg4, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %6 = llvm.mlir.constant(20 : index) : i64
      %7 = llvm.mlir.constant(1.000000e+00 : f32) : f32
      %8 = nvvm.read.ptx.sreg.tid.x : i32
      %9 = llvm.sext %8 : i32 to i64
      %10 = llvm.icmp "ult" %9, %6 : i64
      llvm.cond_br %10, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      %11 = llvm.extractvalue %5[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %12 = llvm.getelementptr inbounds|nuw %11[%9] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %7, %12 : f32, !llvm.ptr
      llvm.br ^bb2
    ^bb2:  // 2 preds: ^bb0, ^bb1
      llvm.return
    }
    llvm.func @hi(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %5 = llvm.insertvalue %arg4, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %6 = llvm.mlir.constant(20 : index) : i64
      %7 = llvm.mlir.constant(1.000000e+00 : f32) : f32
      %8 = nvvm.read.ptx.sreg.tid.x : i32
      %9 = llvm.sext %8 : i32 to i64
      %10 = llvm.add %9, %6 : i64
      %11 = llvm.extractvalue %5[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %12 = llvm.getelementptr inbounds|nuw %11[%10] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %7, %12 : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @main(%arg0: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %0 = gpu.wait async
    %1 = gpu.wait async
    %2 = gpu.launch_func async [%0] @kernels::@lo blocks in (%c1_0, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<64xf32>)
    %3 = gpu.launch_func async [%1] @kernels::@hi blocks in (%c1_0, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<64xf32>)
    gpu.wait [%2, %3]
    return
  }
}
