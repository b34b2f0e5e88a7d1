// Kernels on pointers: chunks by a number, by a pointer into the memory, and a loop over them.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @scale(%a: !llvm.ptr, %first: i32, %v: f32) attributes {gpu.kernel} {
      %p = llvm.getelementptr %a[%first] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      %y = llvm.fmul %x, %v : f32
      llvm.store %y, %p : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @main(%p: !llvm.ptr, %q: !llvm.ptr, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %half = llvm.getelementptr %q[512] : (!llvm.ptr) -> !llvm.ptr, f32
    %a = gpu.wait async
    %b = gpu.wait async
    %a1 = gpu.launch_func async [%a] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr, %zero : i32, %v : f32)
    %b1 = gpu.launch_func async [%b] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr, %one : i32, %v : f32)
    %a2 = gpu.launch_func async [%a1] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%q : !llvm.ptr, %zero : i32, %v : f32)
    %b2 = gpu.launch_func async [%b1] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%half : !llvm.ptr, %zero : i32, %v : f32)
    gpu.wait [%a2]
    gpu.wait [%b2]
    %s = gpu.wait async
    %t = gpu.wait async
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %s, %y = %t) -> (!gpu.async.token, !gpu.async.token) {
      %n = arith.index_cast %i : index to i32
      %k = gpu.launch_func async [%x] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr, %n : i32, %v : f32)
      scf.yield %y, %x : !gpu.async.token, !gpu.async.token
    }
    gpu.wait [%s]
    gpu.wait [%t]
    return
  }
}

// -----

// Two rows of a pointer's array of arrays.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @first(%a: !llvm.ptr, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.getelementptr %a[0, %tid] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<64 x f32>
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @second(%a: !llvm.ptr, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.getelementptr %a[1, %tid] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<64 x f32>
      llvm.store %v, %p : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @rows(%p: !llvm.ptr, %v: f32) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %a = gpu.wait async
    %b = gpu.wait async
    %a1 = gpu.launch_func async [%a] @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : !llvm.ptr, %v : f32)
    %b1 = gpu.launch_func async [%b] @kernels::@second blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : !llvm.ptr, %v : f32)
    gpu.wait [%a1]
    gpu.wait [%b1]
    return
  }
}
