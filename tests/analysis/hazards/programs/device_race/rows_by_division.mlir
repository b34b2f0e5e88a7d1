// Threads counted through rows: row 4 is in both halves.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %c5 = arith.constant 5 : index
      %r = arith.divui %i, %c8 : index
      %q = arith.remui %i, %c8 : index
      %g = arith.cmpi ult, %r, %c5 : index
      scf.if %g {
        memref.store %v, %p[%r, %q] : memref<8x8xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %cg = arith.constant 4 : index
      %r = arith.divui %i, %c8 : index
      %q = arith.remui %i, %c8 : index
      %g = arith.cmpi uge, %r, %cg : index
      scf.if %g {
        memref.store %v, %p[%r, %q] : memref<8x8xf32>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that writes it may still be running.}}
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %c5 = arith.constant 5 : index
      %r = arith.divui %i, %c8 : index
      %q = arith.remui %i, %c8 : index
      %g = arith.cmpi ult, %r, %c5 : index
      scf.if %g {
        memref.store %v, %p[%r, %q] : memref<8x8xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %cg = arith.constant 5 : index
      %r = arith.divui %i, %c8 : index
      %q = arith.remui %i, %c8 : index
      %g = arith.cmpi uge, %r, %cg : index
      scf.if %g {
        memref.store %v, %p[%r, %q] : memref<8x8xf32>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
