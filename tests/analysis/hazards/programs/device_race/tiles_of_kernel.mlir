// Tiles of tiles in a kernel: the second launch begins a row too early.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @tile(%p: memref<64x64xf32>, %row: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %col = arith.muli %b, %c16 : index
      %rows = memref.subview %p[%row, 0] [32, 64] [1, 1] : memref<64x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
      %tile = memref.subview %rows[0, %col] [32, 16] [1, 1] : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<32x16xf32, strided<[64, 1], offset: ?>>
      scf.for %j = %c0 to %c16 step %c1 {
        %x = memref.load %tile[%t, %j] : memref<32x16xf32, strided<[64, 1], offset: ?>>
        %y = arith.negf %x : f32
        memref.store %y, %tile[%t, %j] : memref<32x16xf32, strided<[64, 1], offset: ?>>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<64x64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %l = gpu.launch_func async @k::@tile blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64x64xf32>, %c0 : index)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %p while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %r = gpu.launch_func async @k::@tile blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64x64xf32>, %c31 : index)
    gpu.wait [%l, %r]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @tile(%p: memref<64x64xf32>, %row: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %col = arith.muli %b, %c16 : index
      %rows = memref.subview %p[%row, 0] [32, 64] [1, 1] : memref<64x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
      %tile = memref.subview %rows[0, %col] [32, 16] [1, 1] : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<32x16xf32, strided<[64, 1], offset: ?>>
      scf.for %j = %c0 to %c16 step %c1 {
        %x = memref.load %tile[%t, %j] : memref<32x16xf32, strided<[64, 1], offset: ?>>
        %y = arith.negf %x : f32
        memref.store %y, %tile[%t, %j] : memref<32x16xf32, strided<[64, 1], offset: ?>>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<64x64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %l = gpu.launch_func async @k::@tile blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64x64xf32>, %c0 : index)
    %r = gpu.launch_func async @k::@tile blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64x64xf32>, %c32 : index)
    gpu.wait [%l, %r]
    return
  }
}
