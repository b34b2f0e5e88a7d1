// A clamped index reaches one element of the part that another kernel writes.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @gather(%o: memref<64xf32>, %p: memref<64xf32>) kernel {
      %c31 = arith.constant 32 : index
      %i = gpu.thread_id x
      %j = arith.minui %i, %c31 : index
      %x = memref.load %p[%j] : memref<64xf32>
      memref.store %x, %o[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @high(%p: memref<64xf32>) kernel {
      %c32 = arith.constant 32 : index
      %f = arith.constant 0.0 : f32
      %i = gpu.thread_id x
      %j = arith.addi %i, %c32 : index
      memref.store %f, %p[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>, %o: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %l = gpu.launch_func async @k::@gather blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%o : memref<64xf32>, %p : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that reads it may still be running.}}
    %r = gpu.launch_func async @k::@high blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%l, %r]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @gather(%o: memref<64xf32>, %p: memref<64xf32>) kernel {
      %c31 = arith.constant 31 : index
      %i = gpu.thread_id x
      %j = arith.minui %i, %c31 : index
      %x = memref.load %p[%j] : memref<64xf32>
      memref.store %x, %o[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @high(%p: memref<64xf32>) kernel {
      %c32 = arith.constant 32 : index
      %f = arith.constant 0.0 : f32
      %i = gpu.thread_id x
      %j = arith.addi %i, %c32 : index
      memref.store %f, %p[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>, %o: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %l = gpu.launch_func async @k::@gather blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%o : memref<64xf32>, %p : memref<64xf32>)
    %r = gpu.launch_func async @k::@high blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%l, %r]
    return
  }
}
