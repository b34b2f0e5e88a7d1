//// ASSUMED

gpu.module @k [#nvvm.target<chip = "sm_80">] {
  llvm.func @__assertfail(!llvm.ptr) attributes {passthrough = ["noreturn"]}
  llvm.func @f(%a: !llvm.ptr {llvm.align = 16 : i32, llvm.noalias}, %b: !llvm.ptr {llvm.readonly})
      attributes {gpu.kernel, nvvm.kernel} {
    %i = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
    %n = nvvm.read.ptx.sreg.ntid.x range <i32, 64, 65> : i32
    %j = llvm.add %i, %n : i32
    %w = llvm.zext %j : i32 to i64
    %p = llvm.getelementptr %a[%w] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %b : !llvm.ptr -> f32
    llvm.store %v, %p : f32, !llvm.ptr
    llvm.store %v, %p : f32, !llvm.ptr
    llvm.return
  }
  llvm.func @g(%a: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    llvm.call @__assertfail(%a) : (!llvm.ptr) -> ()
    llvm.return
  }
}
