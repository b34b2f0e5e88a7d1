// A guard that is negated: the second part begins in the first.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @part(%p: memref<256xf32>, %lo: index, %n: index) kernel {
      %true = arith.constant true
      %i = gpu.global_id x
      %in = arith.cmpi ult, %i, %n : index
      %out = arith.xori %in, %true : i1
      cf.cond_br %out, ^e, ^w
    ^w:
      %j = arith.addi %lo, %i : index
      %f = arith.constant 2.0 : f32
      memref.store %f, %p[%j] : memref<256xf32>
      cf.br ^e
    ^e:
      gpu.return
    }
  }
  func.func @main(%p: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c100 = arith.constant 100 : index
    %c32 = arith.constant 32 : index
    %l = gpu.launch_func async @k::@part blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<256xf32>, %c0 : index, %c100 : index)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %p while the earlier gpu.launch_func that writes it may still be running.}}
    %r = gpu.launch_func async @k::@part blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<256xf32>, %c32 : index, %c100 : index)
    gpu.wait [%l, %r]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @part(%p: memref<256xf32>, %lo: index, %n: index) kernel {
      %true = arith.constant true
      %i = gpu.global_id x
      %in = arith.cmpi ult, %i, %n : index
      %out = arith.xori %in, %true : i1
      cf.cond_br %out, ^e, ^w
    ^w:
      %j = arith.addi %lo, %i : index
      %f = arith.constant 2.0 : f32
      memref.store %f, %p[%j] : memref<256xf32>
      cf.br ^e
    ^e:
      gpu.return
    }
  }
  func.func @main(%p: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c100 = arith.constant 100 : index
    %c32 = arith.constant 32 : index
    %l = gpu.launch_func async @k::@part blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<256xf32>, %c0 : index, %c100 : index)
    %r = gpu.launch_func async @k::@part blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<256xf32>, %c100 : index, %c100 : index)
    gpu.wait [%l, %r]
    return
  }
}
