//// HARDWARE

module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @m {
    llvm.mlir.global internal @barrier() {addr_space = 3 : i32, alignment = 8 : i64} : i64
    llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
      %b = llvm.mlir.addressof @barrier : !llvm.ptr<3>
      %one = llvm.mlir.constant(1 : i32) : i32
      %zero = llvm.mlir.constant(0 : i32) : i32
      %h = llvm.mlir.constant(dense<1.0> : vector<2xf16>) : vector<2xf16>
      %leader = nvvm.elect.sync -> i1
      nvvm.mbarrier.init %b, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %b, %zero : !llvm.ptr<3>, i32
      nvvm.mbarrier.try_wait.parity %b, %zero, %one : !llvm.ptr<3>, i32, i32
      %r = nvvm.mma.sync A[%h, %h, %h, %h] B[%h, %h] C[%h, %h]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      llvm.return
    }
  }
}

//// WAITS

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %s = gpu.wait async
  %d, %s1 = gpu.alloc async [%s] () : memref<1xi32>
  %s2 = gpu.memset async [%s1] %d, %zero : memref<1xi32>, i32
  gpu.wait [%s2]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %o = memref.atomic_rmw addi %one, %d[%c0] : (i32, memref<1xi32>) -> i32
    scf.while : () -> () {
      %v = memref.atomic_rmw addi %zero, %d[%c0] : (i32, memref<1xi32>) -> i32
      %wait = arith.cmpi slt, %v, %two : i32
      scf.condition(%wait)
    } do {
      scf.yield
    }
    gpu.terminator
  }
  %t = gpu.wait async
  %t1 = gpu.dealloc async [%t] %d : memref<1xi32>
  gpu.wait [%t1]
  return
}
