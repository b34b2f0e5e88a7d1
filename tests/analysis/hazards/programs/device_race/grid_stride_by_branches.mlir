// The loop of a kernel is made of branches: the second half begins too early.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%p: memref<1024xf32>, %lo: index, %n: index) kernel {
      %g = gpu.global_id x
      %bd = gpu.block_dim x
      %gd = gpu.grid_dim x
      %c1 = arith.muli %bd, %gd : index
      cf.br ^head(%g : index)
    ^head(%i: index):
      %more = arith.cmpi slt, %i, %n : index
      cf.cond_br %more, ^body, ^exit
    ^body:
      %j = arith.addi %lo, %i : index
      %x = memref.load %p[%j] : memref<1024xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %p[%j] : memref<1024xf32>
      %next = arith.addi %i, %c1 : index
      cf.br ^head(%next : index)
    ^exit:
      gpu.return
    }
  }
  func.func @main(%p: memref<1024xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %l = gpu.launch_func async [%s0] @k::@scale blocks in (%c512, %c1, %c1) threads in (%c512, %c1, %c1) args(%p : memref<1024xf32>, %c0 : index, %c512 : index)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %p while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %r = gpu.launch_func async [%s1] @k::@scale blocks in (%c512, %c1, %c1) threads in (%c512, %c1, %c1) args(%p : memref<1024xf32>, %c1 : index, %c512 : index)
    gpu.wait [%l, %r]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%p: memref<1024xf32>, %lo: index, %n: index) kernel {
      %g = gpu.global_id x
      %bd = gpu.block_dim x
      %gd = gpu.grid_dim x
      %c1 = arith.muli %bd, %gd : index
      cf.br ^head(%g : index)
    ^head(%i: index):
      %more = arith.cmpi slt, %i, %n : index
      cf.cond_br %more, ^body, ^exit
    ^body:
      %j = arith.addi %lo, %i : index
      %x = memref.load %p[%j] : memref<1024xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %p[%j] : memref<1024xf32>
      %next = arith.addi %i, %c1 : index
      cf.br ^head(%next : index)
    ^exit:
      gpu.return
    }
  }
  func.func @main(%p: memref<1024xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %l = gpu.launch_func async [%s0] @k::@scale blocks in (%c512, %c1, %c1) threads in (%c512, %c1, %c1) args(%p : memref<1024xf32>, %c0 : index, %c512 : index)
    %r = gpu.launch_func async [%s1] @k::@scale blocks in (%c512, %c1, %c1) threads in (%c512, %c1, %c1) args(%p : memref<1024xf32>, %c512 : index, %c512 : index)
    gpu.wait [%l, %r]
    return
  }
}
