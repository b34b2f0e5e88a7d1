module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }

  func.func private @chunk(%x: memref<1024xf32>, %i: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %v = memref.subview %x[%i] [256] [1] : memref<1024xf32> to memref<256xf32, strided<[1], offset: ?>>
    %d = memref.cast %v : memref<256xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    gpu.launch_func @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%d : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    return
  }
  func.func private @all(%x: memref<1024xf32>) {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    scf.for %i = %c0 to %c1024 step %c256 {
      func.call @chunk(%x, %i) : (memref<1024xf32>, index) -> ()
    }
    return
  }
  func.func @main(%x: memref<1024xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    func.call @all(%x) : (memref<1024xf32>) -> ()
    %v = memref.load %x[%c0] : memref<1024xf32>
    memref.store %v, %x[%c0] : memref<1024xf32>
    return %v : f32
  }
}
