//// PROGRAM

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target] {
    gpu.func @scale(%a: memref<?xf32>, %f: f32) kernel {
      %i = gpu.thread_id x
      %x = memref.load %a[%i] : memref<?xf32>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %f: f32, %n: index) {
    %one = arith.constant 1 : index
    %s = gpu.wait async
    %t = gpu.launch_func async [%s] @kernels::@scale blocks in (%one, %one, %one) threads in (%n, %one, %one)
      args(%a : memref<?xf32>, %f : f32)
    gpu.wait [%t]
    return
  }
}
//// LEFT

gpu.module @k {
  gpu.func @f(%n: index, %c: i1) kernel {
    %row = tensor.empty() : tensor<4xf32>
    cf.br ^head(%row : tensor<4xf32>)
  ^head(%r: tensor<4xf32>):
    %m = arith.addi %n, %n : index
    "acme.use"(%r, %m) : (tensor<4xf32>, index) -> ()
    cf.cond_br %c, ^head(%r : tensor<4xf32>), ^end
  ^end:
    gpu.return
  }
}
//// INTRINSICS

llvm.func @f(%p: !llvm.ptr, %m: vector<4xi1>, %v: vector<4xf32>, %ps: vector<4x!llvm.ptr>, %i: i64,
    %w: vector<8xf32>, %d: f64, %f: f32) {
  %0 = llvm.intr.masked.load %p, %m, %v {alignment = 4 : i32}
    : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  llvm.intr.masked.store %v, %p, %m {alignment = 8 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
  %1 = llvm.intr.masked.gather %ps, %m, %v {alignment = 4 : i32}
    : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %2 = llvm.intr.masked.gather %ps, %m {alignment = 4 : i32}
    : (vector<4x!llvm.ptr>, vector<4xi1>) -> vector<4xf32>
  llvm.intr.masked.scatter %v, %ps, %m {alignment = 4 : i32}
    : vector<4xf32>, vector<4xi1> into vector<4x!llvm.ptr>
  "llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
  %3 = llvm.intr.expect.with.probability %i, %i, 0.5 : i64
  %4 = llvm.intr.invariant.start 4, %p : !llvm.ptr
  llvm.intr.invariant.end %4, 4, %p : !llvm.ptr
  %5 = llvm.intr.vector.extract %w[0] : vector<4xf32> from vector<8xf32>
  %6 = llvm.intr.vector.insert %v, %w[4] : vector<4xf32> into vector<8xf32>
  %7 = "llvm.intr.experimental.constrained.fptrunc"(%d)
    <{fpExceptionBehavior = 2 : i64, roundingmode = 0 : i64}> : (f64) -> f32
  %10 = "llvm.intr.experimental.constrained.fpext"(%f) <{fpExceptionBehavior = 1 : i64}> : (f32) -> f64
  %8 = llvm.intr.sincos(%d) : (f64) -> !llvm.struct<(f64, f64)>
  %9 = llvm.intr.frexp(%d) : (f64) -> !llvm.struct<(f64, i32)>
  llvm.return
}

//// FREED_IN_ANOTHER_SPACE

gpu.module @k {
  gpu.func @f(%a: memref<4xf32, 1>) kernel {
    memref.dealloc %a : memref<4xf32, 1>
    gpu.return
  }
}
//// WORKGROUP_BUFFER_IN_NO_SPACE

gpu.module @k {
  gpu.func @f() workgroup(%w: memref<4xf32>) kernel {
    gpu.return
  }
}
//// KERNEL_WITH_RESULT

gpu.module @k {
  llvm.func @f(%a: f32) -> f32 attributes {gpu.kernel} {
    llvm.return %a : f32
  }
}
