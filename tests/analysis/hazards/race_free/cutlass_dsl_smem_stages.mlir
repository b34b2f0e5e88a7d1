module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @gemm(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) workgroup(%sA: memref<2x64x8xf16, #gpu.address_space<workgroup>>, %sB: memref<2x8x64xf16, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %c64 = arith.constant 64 : index
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %zero = arith.constant 0.0 : f32
      %acc = scf.for %k = %c0 to %c64 step %c8 iter_args(%s = %zero) -> (f32) {
        %q = arith.divui %k, %c8 : index
        %stage = arith.remui %q, %c2 : index
        %kk = arith.addi %k, %ty : index
        %a = memref.load %A[%tx, %kk] : memref<64x64xf16>
        memref.store %a, %sA[%stage, %tx, %ty] : memref<2x64x8xf16, #gpu.address_space<workgroup>>
        %b = memref.load %B[%kk, %tx] : memref<64x64xf16>
        memref.store %b, %sB[%stage, %ty, %tx] : memref<2x8x64xf16, #gpu.address_space<workgroup>>
        gpu.barrier
        %x = memref.load %sA[%stage, %tx, %ty] : memref<2x64x8xf16, #gpu.address_space<workgroup>>
        %y = memref.load %sB[%stage, %ty, %tx] : memref<2x8x64xf16, #gpu.address_space<workgroup>>
        %xe = arith.extf %x : f16 to f32
        %ye = arith.extf %y : f16 to f32
        %m = arith.mulf %xe, %ye : f32
        %n = arith.addf %s, %m : f32
        scf.yield %n : f32
      }
      memref.store %acc, %C[%tx, %ty] : memref<64x64xf32>
      gpu.return
    }
  }
  func.func @main(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C0: memref<64x64xf32>, %C1: memref<64x64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@gemm blocks in (%c1, %c1, %c1) threads in (%c64, %c8, %c1) args(%A : memref<64x64xf16>, %B : memref<64x64xf16>, %C0 : memref<64x64xf32>)
    %b = gpu.launch_func async [%s1] @k::@gemm blocks in (%c1, %c1, %c1) threads in (%c64, %c8, %c1) args(%B : memref<64x64xf16>, %A : memref<64x64xf16>, %C1 : memref<64x64xf32>)
    gpu.wait [%a, %b]
    return
  }
}
