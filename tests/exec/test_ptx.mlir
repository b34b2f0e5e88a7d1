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
