// Rows of a ring: four further on is the same one.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @row(%p: memref<4x64xf32>, %r: index) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%r, %i] : memref<4x64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<4x64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c4 : index
      %a = arith.remui %i, %c4 : index
      %b = arith.remui %j, %c4 : index
      %s0 = gpu.wait async
      %s1 = gpu.wait async
      %k0 = gpu.launch_func async [%s0] @kernels::@row blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<4x64xf32>, %a : index)
      // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that writes it may still be running.}}
      %k1 = gpu.launch_func async [%s1] @kernels::@row blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<4x64xf32>, %b : index)
      gpu.wait [%k0, %k1]
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @row(%p: memref<4x64xf32>, %r: index) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%r, %i] : memref<4x64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<4x64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = arith.remui %i, %c4 : index
      %b = arith.remui %j, %c4 : index
      %s0 = gpu.wait async
      %s1 = gpu.wait async
      %k0 = gpu.launch_func async [%s0] @kernels::@row blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<4x64xf32>, %a : index)
      %k1 = gpu.launch_func async [%s1] @kernels::@row blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<4x64xf32>, %b : index)
      gpu.wait [%k0, %k1]
    }
    return
  }
}
