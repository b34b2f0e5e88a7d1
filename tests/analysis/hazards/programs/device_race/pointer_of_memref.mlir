// A kernel gets the address of a buffer that a copy still fills.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @kernel_cutlass_gemm_0(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.getelementptr %a[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %q = llvm.getelementptr %b[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      llvm.store %x, %q : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func private @host_ready() -> i32
  func.func @cutlass_host(%m: memref<256xf32>, %h: memref<256xf32>, %n: i32) -> i32 {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %s0 = gpu.wait async
    %s1 = gpu.memcpy async [%s0] %m, %h : memref<256xf32>, memref<256xf32>
    %i = memref.extract_aligned_pointer_as_index %m : memref<256xf32> -> index
    %j = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %j : i64 to !llvm.ptr
    %u0 = gpu.wait async
    // expected-warning @+1 {{GA301: This gpu.launch_func reads %m while the gpu.memcpy that writes it may still be running.}}
    %u1 = gpu.launch_func async [%u0] @kernels::@kernel_cutlass_gemm_0 blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : !llvm.ptr, %p : !llvm.ptr, %n : i32)
    %ok = call @host_ready() : () -> i32
    gpu.wait [%s1]
    gpu.wait [%u1]
    return %ok : i32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @kernel_cutlass_gemm_0(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.getelementptr %a[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %q = llvm.getelementptr %b[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      llvm.store %x, %q : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func private @host_ready() -> i32
  func.func @cutlass_host(%m: memref<256xf32>, %h: memref<256xf32>, %n: i32) -> i32 {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %s0 = gpu.wait async
    %s1 = gpu.memcpy async [%s0] %m, %h : memref<256xf32>, memref<256xf32>
    %i = memref.extract_aligned_pointer_as_index %m : memref<256xf32> -> index
    %j = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %j : i64 to !llvm.ptr
    %u0 = gpu.wait async [%s1]
    %u1 = gpu.launch_func async [%u0] @kernels::@kernel_cutlass_gemm_0 blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : !llvm.ptr, %p : !llvm.ptr, %n : i32)
    %ok = call @host_ready() : () -> i32
    gpu.wait [%s1]
    gpu.wait [%u1]
    return %ok : i32
  }
}
