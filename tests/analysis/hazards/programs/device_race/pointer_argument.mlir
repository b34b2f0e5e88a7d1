// Two kernels update what one pointer leads to, on two streams.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @scale(%a: !llvm.ptr, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.getelementptr %a[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      %y = llvm.fmul %x, %v : f32
      llvm.store %y, %p : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @host(%p: !llvm.ptr, %v: f32) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %a = gpu.wait async
    %a1 = gpu.launch_func async [%a] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : !llvm.ptr, %v : f32)
    %b = gpu.wait async
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %p while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %b1 = gpu.launch_func async [%b] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : !llvm.ptr, %v : f32)
    gpu.wait [%a1]
    gpu.wait [%b1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @scale(%a: !llvm.ptr, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.getelementptr %a[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      %y = llvm.fmul %x, %v : f32
      llvm.store %y, %p : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @host(%p: !llvm.ptr, %v: f32) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %a = gpu.wait async
    %a1 = gpu.launch_func async [%a] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : !llvm.ptr, %v : f32)
    %b = gpu.wait async [%a1]
    %b1 = gpu.launch_func async [%b] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : !llvm.ptr, %v : f32)
    gpu.wait [%a1]
    gpu.wait [%b1]
    return
  }
}
