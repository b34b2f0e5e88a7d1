// The same as tiles_of_kernel after convert-scf-to-cf.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @tile(%arg0: memref<64x64xf32>, %arg1: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %block_id_x = gpu.block_id  x
      %thread_id_x = gpu.thread_id  x
      %0 = arith.muli %block_id_x, %c16 : index
      %subview = memref.subview %arg0[%arg1, 0] [32, 64] [1, 1] : memref<64x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
      %subview_0 = memref.subview %subview[0, %0] [32, 16] [1, 1] : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<32x16xf32, strided<[64, 1], offset: ?>>
      cf.br ^bb1(%c0 : index)
    ^bb1(%1: index):  // 2 preds: ^bb0, ^bb2
      %2 = arith.cmpi slt, %1, %c16 : index
      cf.cond_br %2, ^bb2, ^bb3
    ^bb2:  // pred: ^bb1
      %3 = memref.load %subview_0[%thread_id_x, %1] : memref<32x16xf32, strided<[64, 1], offset: ?>>
      %4 = arith.negf %3 : f32
      memref.store %4, %subview_0[%thread_id_x, %1] : memref<32x16xf32, strided<[64, 1], offset: ?>>
      %5 = arith.addi %1, %c1 : index
      cf.br ^bb1(%5 : index)
    ^bb3:  // pred: ^bb1
      gpu.return
    }
  }
  func.func @main(%arg0: memref<64x64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %0 = gpu.launch_func async @k::@tile blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<64x64xf32>, %c0 : index)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %arg0 while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %1 = gpu.launch_func async @k::@tile blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<64x64xf32>, %c31 : index)
    gpu.wait [%0, %1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @tile(%arg0: memref<64x64xf32>, %arg1: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %block_id_x = gpu.block_id  x
      %thread_id_x = gpu.thread_id  x
      %0 = arith.muli %block_id_x, %c16 : index
      %subview = memref.subview %arg0[%arg1, 0] [32, 64] [1, 1] : memref<64x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
      %subview_0 = memref.subview %subview[0, %0] [32, 16] [1, 1] : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<32x16xf32, strided<[64, 1], offset: ?>>
      cf.br ^bb1(%c0 : index)
    ^bb1(%1: index):  // 2 preds: ^bb0, ^bb2
      %2 = arith.cmpi slt, %1, %c16 : index
      cf.cond_br %2, ^bb2, ^bb3
    ^bb2:  // pred: ^bb1
      %3 = memref.load %subview_0[%thread_id_x, %1] : memref<32x16xf32, strided<[64, 1], offset: ?>>
      %4 = arith.negf %3 : f32
      memref.store %4, %subview_0[%thread_id_x, %1] : memref<32x16xf32, strided<[64, 1], offset: ?>>
      %5 = arith.addi %1, %c1 : index
      cf.br ^bb1(%5 : index)
    ^bb3:  // pred: ^bb1
      gpu.return
    }
  }
  func.func @main(%arg0: memref<64x64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %0 = gpu.launch_func async @k::@tile blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<64x64xf32>, %c0 : index)
    %1 = gpu.launch_func async @k::@tile blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<64x64xf32>, %c32 : index)
    gpu.wait [%0, %1]
    return
  }
}
