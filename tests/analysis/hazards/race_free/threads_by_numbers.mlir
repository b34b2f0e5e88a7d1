// Two kernels at once, whose threads touch different elements of one buffer.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %g = arith.cmpi ult, %i, %c32 : index
      scf.if %g {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %g = arith.cmpi ult, %i, %c32 : index
      scf.if %g {
      } else {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 64 : index
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
      %c8 = arith.constant 8 : index
      %c24 = arith.constant 24 : index
      %a = arith.cmpi uge, %i, %c8 : index
      %b = arith.cmpi ult, %i, %c24 : index
      %g = arith.andi %a, %b : i1
      scf.if %g {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %c24 = arith.constant 24 : index
      %a = arith.cmpi ult, %i, %c8 : index
      %b = arith.cmpi uge, %i, %c24 : index
      %g = arith.ori %a, %b : i1
      scf.if %g {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 64 : index
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
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %b = arith.andi %i, %c1 : index
      %g = arith.cmpi eq, %b, %c0 : index
      scf.if %g {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %b = arith.andi %i, %c1 : index
      %g = arith.cmpi ne, %b, %c0 : index
      scf.if %g {
        memref.store %v, %p[%i] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 64 : index
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
    gpu.func @lo(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %c3 = arith.constant 3 : index
      %r = arith.floordivsi %i, %c8 : index
      %q = arith.remsi %i, %c8 : index
      %g = arith.cmpi slt, %r, %c3 : index
      scf.if %g {
        memref.store %v, %p[%r, %q] : memref<8x8xf32>
      }
      gpu.return
    }
    gpu.func @hi(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %c3 = arith.constant 3 : index
      %r = arith.floordivsi %i, %c8 : index
      %q = arith.remsi %i, %c8 : index
      %g = arith.cmpi sge, %r, %c3 : index
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
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c4 = arith.constant 4 : index
      %r = arith.divui %i, %c4 : index
      %q = arith.remui %i, %c4 : index
      memref.store %v, %p[%r, %q] : memref<8x8xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c4 = arith.constant 4 : index
      %r = arith.divui %i, %c4 : index
      %q = arith.remui %i, %c4 : index
      %w = arith.addi %q, %c4 : index
      memref.store %v, %p[%r, %w] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
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
      %c3 = arith.constant 3 : index
      %c7 = arith.constant 7 : index
      %c4 = arith.constant 4 : index
      %r = arith.shrui %i, %c3 : index
      %q = arith.andi %i, %c7 : index
      memref.store %v, %p[%r, %q] : memref<8x8xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<8x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c3 = arith.constant 3 : index
      %c7 = arith.constant 7 : index
      %c4 = arith.constant 4 : index
      %r0 = arith.shrui %i, %c3 : index
      %r = arith.addi %r0, %c4 : index
      %q = arith.andi %i, %c7 : index
      memref.store %v, %p[%r, %q] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x8xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<32x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[0, 3] [32, 1] [1, 1] : memref<32x8xf32> to memref<32xf32, strided<[8], offset: 3>>
      memref.store %v, %s[%i] : memref<32xf32, strided<[8], offset: 3>>
      gpu.return
    }
    gpu.func @hi(%p: memref<32x8xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.subview %p[0, 4] [32, 1] [1, 1] : memref<32x8xf32> to memref<32xf32, strided<[8], offset: 4>>
      memref.store %v, %s[%i] : memref<32xf32, strided<[8], offset: 4>>
      gpu.return
    }
  }
  func.func @main(%p: memref<32x8xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<32x8xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<32x8xf32>)
    gpu.wait [%k0, %k1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @lo(%p: memref<8x32xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c4 = arith.constant 4 : index
      %b = gpu.block_id x
      %s = memref.subview %p[%b, 0] [1, 32] [1, 1] : memref<8x32xf32> to memref<32xf32, strided<[1], offset: ?>>
      memref.store %v, %s[%i] : memref<32xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @hi(%p: memref<8x32xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c4 = arith.constant 4 : index
      %b0 = gpu.block_id x
      %b = arith.addi %b0, %c4 : index
      %s = memref.subview %p[%b, 0] [1, 32] [1, 1] : memref<8x32xf32> to memref<32xf32, strided<[1], offset: ?>>
      memref.store %v, %s[%i] : memref<32xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%p: memref<8x32xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 4 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x32xf32>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<8x32xf32>)
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
      %c0 = arith.constant 0 : index
      %s = memref.expand_shape %p [[0, 1]] output_shape [2, 32] : memref<64xf32> into memref<2x32xf32>
      memref.store %v, %s[%c0, %i] : memref<2x32xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %s = memref.expand_shape %p [[0, 1]] output_shape [2, 32] : memref<64xf32> into memref<2x32xf32>
      memref.store %v, %s[%c1, %i] : memref<2x32xf32>
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
      %s = memref.reinterpret_cast %p to offset: [0], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
      memref.store %v, %s[%i] : memref<32xf32, strided<[1]>>
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %s = memref.reinterpret_cast %p to offset: [32], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
      memref.store %v, %s[%i] : memref<32xf32, strided<[1], offset: 32>>
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
    gpu.func @lo(%p: memref<256xi8>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %s = memref.view %p[%c0][] : memref<256xi8> to memref<32xf32>
      memref.store %v, %s[%i] : memref<32xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<256xi8>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c128 = arith.constant 128 : index
      %s = memref.view %p[%c128][] : memref<256xi8> to memref<32xf32>
      memref.store %v, %s[%i] : memref<32xf32>
      gpu.return
    }
  }
  func.func @main(%p: memref<256xi8>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %k0 = gpu.launch_func async [%s0] @kernels::@lo blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<256xi8>)
    %k1 = gpu.launch_func async [%s1] @kernels::@hi blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args(%p : memref<256xi8>)
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
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      cf.br ^head(%i : index)
    ^head(%j: index):
      %g = arith.cmpi ult, %j, %c32 : index
      cf.cond_br %g, ^body, ^out
    ^body:
      memref.store %v, %p[%j] : memref<64xf32>
      %n = arith.addi %j, %c8 : index
      cf.br ^head(%n : index)
    ^out:
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %b = arith.addi %i, %c32 : index
      cf.br ^head(%b : index)
    ^head(%j: index):
      %g = arith.cmpi ult, %j, %c64 : index
      cf.cond_br %g, ^body, ^out
    ^body:
      memref.store %v, %p[%j] : memref<64xf32>
      %n = arith.addi %j, %c8 : index
      cf.br ^head(%n : index)
    ^out:
      gpu.return
    }
  }
  func.func @main(%p: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 1 : index
    %threads = arith.constant 8 : index
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
      %c15 = arith.constant 15 : index
      %j = arith.minui %i, %c15 : index
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c16 = arith.constant 16 : index
      %j = arith.maxui %i, %c16 : index
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
    gpu.func @lo(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %c7 = arith.constant 7 : index
      %g = arith.cmpi ult, %i, %c8 : index
      %j = arith.select %g, %i, %c7 : index
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
    gpu.func @hi(%p: memref<64xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %j = arith.addi %i, %c8 : index
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
    llvm.func @lo(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i64, %arg6: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %5 = llvm.insertvalue %arg5, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %6 = llvm.insertvalue %arg4, %5[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %7 = llvm.insertvalue %arg6, %6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %8 = llvm.mlir.constant(8 : index) : i64
      %9 = llvm.mlir.constant(1.000000e+00 : f32) : f32
      %10 = nvvm.read.ptx.sreg.tid.x : i32
      %11 = llvm.sext %10 : i32 to i64
      %12 = llvm.urem %11, %8 : i64
      %13 = llvm.udiv %11, %8 : i64
      %14 = llvm.extractvalue %7[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %15 = llvm.mlir.constant(8 : index) : i64
      %16 = llvm.mul %13, %15 overflow<nsw, nuw> : i64
      %17 = llvm.add %16, %12 overflow<nsw, nuw> : i64
      %18 = llvm.getelementptr inbounds|nuw %14[%17] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %9, %18 : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @hi(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i64, %arg6: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %5 = llvm.insertvalue %arg5, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %6 = llvm.insertvalue %arg4, %5[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %7 = llvm.insertvalue %arg6, %6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %8 = llvm.mlir.constant(4 : index) : i64
      %9 = llvm.mlir.constant(8 : index) : i64
      %10 = llvm.mlir.constant(1.000000e+00 : f32) : f32
      %11 = nvvm.read.ptx.sreg.tid.x : i32
      %12 = llvm.sext %11 : i32 to i64
      %13 = llvm.udiv %12, %9 : i64
      %14 = llvm.urem %12, %9 : i64
      %15 = llvm.add %13, %8 : i64
      %16 = llvm.extractvalue %7[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %17 = llvm.mlir.constant(8 : index) : i64
      %18 = llvm.mul %15, %17 overflow<nsw, nuw> : i64
      %19 = llvm.add %18, %14 overflow<nsw, nuw> : i64
      %20 = llvm.getelementptr inbounds|nuw %16[%19] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %10, %20 : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @main(%arg0: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %0 = gpu.wait async
    %1 = gpu.wait async
    %2 = gpu.launch_func async [%0] @kernels::@lo blocks in (%c1_0, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<8x8xf32>)
    %3 = gpu.launch_func async [%1] @kernels::@hi blocks in (%c1_0, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<8x8xf32>)
    gpu.wait [%2, %3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @lo(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i64, %arg6: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %5 = llvm.insertvalue %arg5, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %6 = llvm.insertvalue %arg4, %5[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %7 = llvm.insertvalue %arg6, %6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %8 = llvm.mlir.constant(0 : index) : i64
      %9 = llvm.mlir.constant(1.000000e+00 : f32) : f32
      %10 = nvvm.read.ptx.sreg.tid.x : i32
      %11 = llvm.sext %10 : i32 to i64
      %12 = llvm.extractvalue %7[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %13 = llvm.mlir.constant(2 : index) : i64
      %14 = llvm.mul %11, %13 overflow<nsw, nuw> : i64
      %15 = llvm.add %14, %8 overflow<nsw, nuw> : i64
      %16 = llvm.getelementptr inbounds|nuw %12[%15] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %9, %16 : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @hi(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i64, %arg6: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %5 = llvm.insertvalue %arg5, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %6 = llvm.insertvalue %arg4, %5[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %7 = llvm.insertvalue %arg6, %6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %8 = llvm.mlir.constant(1 : index) : i64
      %9 = llvm.mlir.constant(1.000000e+00 : f32) : f32
      %10 = nvvm.read.ptx.sreg.tid.x : i32
      %11 = llvm.sext %10 : i32 to i64
      %12 = llvm.extractvalue %7[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
      %13 = llvm.mlir.constant(2 : index) : i64
      %14 = llvm.mul %11, %13 overflow<nsw, nuw> : i64
      %15 = llvm.add %14, %8 overflow<nsw, nuw> : i64
      %16 = llvm.getelementptr inbounds|nuw %12[%15] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %9, %16 : f32, !llvm.ptr
      llvm.return
    }
  }
  func.func @main(%arg0: memref<32x2xf32>) {
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %0 = gpu.wait async
    %1 = gpu.wait async
    %2 = gpu.launch_func async [%0] @kernels::@lo blocks in (%c1_0, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<32x2xf32>)
    %3 = gpu.launch_func async [%1] @kernels::@hi blocks in (%c1_0, %c1, %c1) threads in (%c32, %c1, %c1)  args(%arg0 : memref<32x2xf32>)
    gpu.wait [%2, %3]
    return
  }
}
