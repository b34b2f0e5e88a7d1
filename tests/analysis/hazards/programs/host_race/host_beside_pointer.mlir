// A kernel gets a pointer, and writes the upper half behind it.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @upper(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %k = llvm.mlir.constant(32 : i32) : i32
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %j = llvm.add %t, %k : i32
      %a = llvm.getelementptr %p[%j] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @main(%p: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c40 = arith.constant 40 : index
    %int = memref.extract_aligned_pointer_as_index %p : memref<64xf32> -> index
    %i64 = arith.index_cast %int : index to i64
    %ptr = llvm.inttoptr %i64 : i64 to !llvm.ptr
    %s = gpu.wait async
    %k = gpu.launch_func async [%s] @kernels::@upper blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%ptr : !llvm.ptr)
    // expected-warning @+1 {{GA302: The host reads %p while the gpu.launch_func that writes it may still be running.}}
    %x = memref.load %p[%c40] : memref<64xf32>
    gpu.wait [%k]
    return %x : f32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @upper(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      %k = llvm.mlir.constant(32 : i32) : i32
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %j = llvm.add %t, %k : i32
      %a = llvm.getelementptr %p[%j] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      llvm.store %v, %a : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @main(%p: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c40 = arith.constant 40 : index
    %int = memref.extract_aligned_pointer_as_index %p : memref<64xf32> -> index
    %i64 = arith.index_cast %int : index to i64
    %ptr = llvm.inttoptr %i64 : i64 to !llvm.ptr
    %s = gpu.wait async
    %k = gpu.launch_func async [%s] @kernels::@upper blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%ptr : !llvm.ptr)
    %x = memref.load %p[%c0] : memref<64xf32>
    gpu.wait [%k]
    return %x : f32
  }
}
