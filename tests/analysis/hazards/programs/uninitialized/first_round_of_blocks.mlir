// Each round of a loop of blocks reads what the one before has written; the first one, what nobody has.
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
  func.func @main(%n: index, %h: memref<64xf32>, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %d, %t = gpu.alloc async [%s] () : memref<64xf32>
    gpu.wait [%t]
    cf.br ^body(%c0 : index)
  ^body(%i: index):
    %s1 = gpu.wait async
    // expected-warning @+1 {{GA305: This gpu.memcpy reads %d, which nothing has written.}}
    %m = gpu.memcpy async [%s1] %o, %d : memref<64xf32>, memref<64xf32>
    %m2 = gpu.memcpy async [%m] %d, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%m2]
    %j = arith.addi %i, %c1 : index
    %g = arith.cmpi slt, %j, %n : index
    cf.cond_br %g, ^body(%j : index), ^out
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
  func.func @main(%n: index, %h: memref<64xf32>, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %d, %t = gpu.alloc async [%s] () : memref<64xf32>
    gpu.wait [%t]
    cf.br ^body(%c0 : index)
  ^body(%i: index):
    %s1 = gpu.wait async
    %m = gpu.memcpy async [%s1] %d, %h : memref<64xf32>, memref<64xf32>
    %m2 = gpu.memcpy async [%m] %o, %d : memref<64xf32>, memref<64xf32>
    gpu.wait [%m2]
    %j = arith.addi %i, %c1 : index
    %g = arith.cmpi slt, %j, %n : index
    cf.cond_br %g, ^body(%j : index), ^out
  ^out:
    %s2 = gpu.wait async
    %f = gpu.dealloc async [%s2] %d : memref<64xf32>
    gpu.wait [%f]
    return
  }
}
