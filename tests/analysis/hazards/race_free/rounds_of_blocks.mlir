// Loops of blocks that write before something reads, and sizes that a callee rounds up.
module attributes {gpu.container_module} {
  gpu.module @kernels {
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
  func.func @main(%n: index, %h: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %d, %t = gpu.alloc async [%s] () : memref<64xf32>
    gpu.wait [%t]
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %g = arith.cmpi slt, %i, %n : index
    cf.cond_br %g, ^body, ^out
  ^body:
    %s1 = gpu.wait async
    %m = gpu.memcpy async [%s1] %d, %h : memref<64xf32>, memref<64xf32>
    %k = gpu.launch_func async [%m] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>)
    %m2 = gpu.memcpy async [%k] %h, %d : memref<64xf32>, memref<64xf32>
    gpu.wait [%m2]
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j : index)
  ^out:
    %s2 = gpu.wait async
    %f = gpu.dealloc async [%s2] %d : memref<64xf32>
    gpu.wait [%f]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
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
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c3 = arith.constant 3 : index
    %s = gpu.wait async
    %d, %t = gpu.alloc async [%s] () : memref<64xf32>
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %g = arith.cmpi ult, %i, %c3 : index
    cf.cond_br %g, ^body, ^out
  ^body:
    %m = gpu.memcpy async [%t] %d, %h : memref<64xf32>, memref<64xf32>
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j : index)
  ^out:
    %m2 = gpu.memcpy async [%t] %o, %d : memref<64xf32>, memref<64xf32>
    %f = gpu.dealloc async [%m2] %d : memref<64xf32>
    gpu.wait [%f]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fill(%p: memref<?xf32>, %n: index) kernel {
      %v = arith.constant 2.0 : f32
      %b = gpu.block_id x
      %d = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %d : index
      %i = arith.addi %o, %t : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        memref.store %v, %p[%i] : memref<?xf32>
      }
      gpu.return
    }
  }
  func.func private @launch(%p: memref<?xf32>, %n: index, %t: !gpu.async.token) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %g = arith.ceildivui %n, %c128 : index
    %k = gpu.launch_func async [%t] @kernels::@fill blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%p : memref<?xf32>, %n : index)
    return
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    %p, %t = gpu.alloc async [%s] (%n) : memref<?xf32>
    call @launch(%p, %n, %t) : (memref<?xf32>, index, !gpu.async.token) -> ()
    %m = gpu.memcpy async [%t] %h, %p : memref<?xf32>, memref<?xf32>
    %f = gpu.dealloc async [%m] %p : memref<?xf32>
    gpu.wait [%f]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fill(%p: memref<1000xf32>) kernel {
      %v = arith.constant 2.0 : f32
      %n = arith.constant 1000 : index
      %b = gpu.block_id x
      %d = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %d : index
      %i = arith.addi %o, %t : index
      %in = arith.cmpi ult, %i, %n : index
      cf.cond_br %in, ^work, ^out
    ^work:
      memref.store %v, %p[%i] : memref<1000xf32>
      cf.br ^out
    ^out:
      gpu.return
    }
  }
  func.func private @blocks(%n: index, %by: index) -> index {
    %g = arith.ceildivsi %n, %by : index
    return %g : index
  }
  func.func @main(%h: memref<1000xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c1000 = arith.constant 1000 : index
    %g = call @blocks(%c1000, %c128) : (index, index) -> index
    %s = gpu.wait async
    %p, %t = gpu.alloc async [%s] () : memref<1000xf32>
    %k = gpu.launch_func async [%t] @kernels::@fill blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%p : memref<1000xf32>)
    %m = gpu.memcpy async [%k] %h, %p : memref<1000xf32>, memref<1000xf32>
    %f = gpu.dealloc async [%m] %p : memref<1000xf32>
    gpu.wait [%f]
    return
  }
}
// -----
func.func @nested(%o: memref<4xf32>, %h: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = gpu.wait async
  %d, %t = gpu.alloc async [%s] () : memref<4xf32>
  cf.br ^outer(%c0 : index)
^outer(%i: index):
  %x = arith.cmpi slt, %i, %n : index
  cf.cond_br %x, ^inner(%c0 : index), ^end
^inner(%j: index):
  %y = arith.cmpi slt, %j, %n : index
  cf.cond_br %y, ^write, ^read
^write:
  %w = gpu.memcpy async [%s] %d, %h : memref<4xf32>, memref<4xf32>
  %j1 = arith.addi %j, %c1 : index
  cf.br ^inner(%j1 : index)
^read:
  %r = gpu.memcpy async [%s] %o, %d : memref<4xf32>, memref<4xf32>
  %i1 = arith.addi %i, %c1 : index
  cf.br ^outer(%i1 : index)
^end:
  %f = gpu.dealloc async [%s] %d : memref<4xf32>
  gpu.wait [%f]
  return
}
// -----
func.func @left_in_the_middle(%o: memref<4xf32>, %h: memref<4xf32>, %c: i1) {
  %s = gpu.wait async
  %d, %t = gpu.alloc async [%s] () : memref<4xf32>
  cf.br ^head
^head:
  cf.br ^asked
^asked:
  cf.cond_br %c, ^write, ^end
^write:
  %w = gpu.memcpy async [%s] %d, %h : memref<4xf32>, memref<4xf32>
  cf.br ^head
^end:
  %r = gpu.memcpy async [%s] %o, %d : memref<4xf32>, memref<4xf32>
  %f = gpu.dealloc async [%s] %d : memref<4xf32>
  gpu.wait [%f]
  return
}
