// Host functions in the llvm dialect that still have ops of gpu.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %a = llvm.getelementptr %p[%i, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @hi(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %a = llvm.getelementptr %p[%i, 1] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.return
    }
  }
  llvm.func @main(%p: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    %threads = llvm.mlir.constant(32 : i64) : i64
    %half = llvm.mlir.constant(32 : i64) : i64
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %half : i64)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %half : i64)
    gpu.wait [%k0, %k1]
    llvm.return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %k = llvm.mlir.constant(8 : i64) : i64
      %w = llvm.mlir.constant(16 : i64) : i64
      %r = llvm.udiv %i, %k : i64
      %q = llvm.urem %i, %k : i64
      %o = llvm.mul %r, %w : i64
      %j = llvm.add %o, %q : i64
      %a = llvm.getelementptr inbounds %p[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @hi(%p: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %tid : i32 to i64
      %k = llvm.mlir.constant(8 : i64) : i64
      %w = llvm.mlir.constant(16 : i64) : i64
      %r = llvm.udiv %i, %k : i64
      %q = llvm.urem %i, %k : i64
      %o = llvm.mul %r, %w : i64
      %q2 = llvm.add %q, %k : i64
      %j = llvm.add %o, %q2 : i64
      %a = llvm.getelementptr inbounds %p[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.return
    }
  }
  llvm.func @main(%p: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    %threads = llvm.mlir.constant(32 : i64) : i64
    %half = llvm.mlir.constant(32 : i64) : i64
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %half : i64)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %half : i64)
    gpu.wait [%k0, %k1]
    llvm.return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%arg0: memref<64xf32>) kernel {
      %thread_id_x = gpu.thread_id  x
      %0 = memref.load %arg0[%thread_id_x] : memref<64xf32>
      %1 = arith.addf %0, %0 : f32
      memref.store %1, %arg0[%thread_id_x] : memref<64xf32>
      gpu.return
    }
    gpu.func @upper(%arg0: memref<64xf32>) kernel {
      %thread_id_x = gpu.thread_id  x
      %c32 = arith.constant 32 : index
      %0 = arith.addi %thread_id_x, %c32 : index
      %cst = arith.constant 3.000000e+00 : f32
      memref.store %cst, %arg0[%0] : memref<64xf32>
      gpu.return
    }
    gpu.func @add(%arg0: memref<64xf32>, %arg1: memref<64xf32>) kernel {
      %thread_id_x = gpu.thread_id  x
      %0 = memref.load %arg0[%thread_id_x] : memref<64xf32>
      %1 = memref.load %arg1[%thread_id_x] : memref<64xf32>
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %arg0[%thread_id_x] : memref<64xf32>
      gpu.return
    }
  }
  llvm.func @main(%arg0: i1, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: i64, %arg4: i64, %arg5: i64, %arg6: !llvm.ptr, %arg7: !llvm.ptr, %arg8: i64, %arg9: i64, %arg10: i64) -> f32 {
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = llvm.insertvalue %arg6, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %2 = llvm.insertvalue %arg7, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %3 = llvm.insertvalue %arg8, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %4 = llvm.insertvalue %arg9, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %5 = llvm.insertvalue %arg10, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %6 = builtin.unrealized_conversion_cast %5 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<64xf32>
    %7 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %8 = llvm.insertvalue %arg1, %7[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %9 = llvm.insertvalue %arg2, %8[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %10 = llvm.insertvalue %arg3, %9[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %11 = llvm.insertvalue %arg4, %10[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %12 = llvm.insertvalue %arg5, %11[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %13 = builtin.unrealized_conversion_cast %12 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %14 = gpu.wait async
    %15 = gpu.memcpy async [%14] %13, %6 : memref<64xf32>, memref<64xf32>
    cf.cond_br %arg0, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    %16 = gpu.launch_func async [%15] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)  args(%6 : memref<64xf32>)
    gpu.wait [%16]
    cf.br ^bb3
  ^bb2:  // pred: ^bb0
    gpu.wait [%15]
    cf.br ^bb3
  ^bb3:  // 2 preds: ^bb1, ^bb2
    %17 = memref.load %13[%c0] : memref<64xf32>
    llvm.return %17 : f32
  }
}
