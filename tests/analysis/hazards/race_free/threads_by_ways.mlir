// Two kernels at once, whose threads go different ways.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c3 = arith.constant 3 : index
      %q = arith.andi %i, %c3 : index
      scf.index_switch %q
      case 0 {
        memref.store %v, %p[%i] : memref<64xf32>
        scf.yield
      }
      case 2 {
        memref.store %v, %p[%i] : memref<64xf32>
        scf.yield
      }
      default {
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %a = arith.muli %i, %c2 : index
      %b = arith.addi %a, %c1 : index
      memref.store %v, %p[%b] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %s0 = arith.constant 16 : index
      %r = scf.while (%s = %s0) : (index) -> index {
        %g = arith.cmpi ugt, %s, %c1 : index
        scf.condition(%g) %s : index
      } do {
      ^bb0(%s: index):
        %g = arith.cmpi ult, %i, %s : index
        scf.if %g {
          memref.store %v, %p[%i] : memref<64xf32>
        }
        %n = arith.divui %s, %c2 : index
        scf.yield %n : index
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c16 = arith.constant 16 : index
      %j = arith.addi %i, %c16 : index
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>, %f: i1) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      scf.if %f {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>, %f: i1) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %j = arith.addi %i, %c32 : index
      scf.if %f {
      } else {
        memref.store %v, %p[%j] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>, %f: i1) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>, %f : i1)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<64xf32>, %f : i1)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @row(%p: memref<64xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%i] : memref<64xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @scale(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %p[%i] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %p[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @upper(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %j = arith.addi %i, %c32 : index
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
    gpu.func @add(%o: memref<64xf32>, %a: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %o[%i] : memref<64xf32>
      %z = memref.load %a[%i] : memref<64xf32>
      %y = arith.addf %x, %z : f32
      memref.store %y, %o[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%ring: memref<3x64xf32>, %h: memref<64xf32>, %o: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %a = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
      %b = affine.apply affine_map<(d0) -> ((d0 + 1) mod 3)>(%i)
      %ra = memref.subview %ring[%a, 0] [1, 64] [1, 1] : memref<3x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      %rb = memref.subview %ring[%b, 0] [1, 64] [1, 1] : memref<3x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      affine.for %j = 0 to 64 {
        %x = affine.load %ra[%j] : memref<64xf32, strided<[1], offset: ?>>
        affine.store %x, %o[%j] : memref<64xf32>
      }
      %s = gpu.wait async
      %k = gpu.launch_func async [%s] @kernels::@row blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%rb : memref<64xf32, strided<[1], offset: ?>>)
      %y = memref.load %ra[%c1] : memref<64xf32, strided<[1], offset: ?>>
      memref.store %y, %o[%c0] : memref<64xf32>
      gpu.wait [%k]
    }
    return
  }
}
// -----
func.func @main(%p: memref<8x8xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch async [%s0] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
      %r = arith.divui %tx, %c8 : index
      %q = arith.remui %tx, %c8 : index
      memref.store %v, %p[%r, %q] : memref<8x8xf32>
      gpu.terminator
    }
    %b = gpu.launch async [%s1] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) { // MARKB
      %r0 = arith.divui %tx, %c8 : index
      %r = arith.addi %r0, %c4 : index
      %q = arith.remui %tx, %c8 : index
      memref.store %v, %p[%r, %q] : memref<8x8xf32>
      gpu.terminator
    }
    gpu.wait [%a, %b]
    return
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<128x1024xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %c1024 = arith.constant 1024 : index
      %i = gpu.thread_id x
      %b = gpu.block_id x
      %d = gpu.block_dim x
      %o = arith.muli %b, %d : index
      %g = arith.addi %o, %i : index
      %r = arith.remui %g, %c1024 : index
      %q = arith.divui %g, %c1024 : index
      memref.store %v, %p[%q, %r] : memref<128x1024xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<128x1024xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %c1024 = arith.constant 1024 : index
      %c64 = arith.constant 64 : index
      %i = gpu.thread_id x
      %b = gpu.block_id x
      %d = gpu.block_dim x
      %o = arith.muli %b, %d : index
      %g = arith.addi %o, %i : index
      %r = arith.remui %g, %c1024 : index
      %q0 = arith.divui %g, %c1024 : index
      %q = arith.addi %q0, %c64 : index
      memref.store %v, %p[%q, %r] : memref<128x1024xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<128x1024xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 256 : index
    %threads = arith.constant 256 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<128x1024xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<128x1024xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<?x?xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %b = gpu.block_id x
      memref.store %v, %p[%b, %i] : memref<?x?xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<?x?xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %c4 = arith.constant 4 : index
      %i = gpu.thread_id x
      %b0 = gpu.block_id x
      %b = arith.addi %b0, %c4 : index
      memref.store %v, %p[%b, %i] : memref<?x?xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<?x?xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 4 : index
    %threads = arith.constant 8 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<?x?xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<?x?xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
