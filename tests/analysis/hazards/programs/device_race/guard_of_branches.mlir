// After convert-scf-to-cf the guard of a kernel is a branch: the parts share an element.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @double(%x: memref<?xf32>, %first: index, %n: index) kernel {
      %i = gpu.global_id x
      %outside = arith.cmpi uge, %i, %n : index
      cf.cond_br %outside, ^done, ^work
    ^work:
      %at = arith.addi %first, %i : index
      %v = memref.load %x[%at] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%at] : memref<?xf32>
      cf.br ^done
    ^done:
      gpu.return
    }
  }
  func.func @main(%x: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c99 = arith.constant 99 : index
    %c100 = arith.constant 100 : index
    %a = gpu.wait async
    %b = gpu.wait async
    %front = gpu.launch_func async [%a] @k::@double blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<?xf32>, %c0 : index, %c100 : index)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %x while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %back = gpu.launch_func async [%b] @k::@double blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<?xf32>, %c99 : index, %c100 : index)
    gpu.wait [%front, %back]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @double(%x: memref<?xf32>, %first: index, %n: index) kernel {
      %i = gpu.global_id x
      %outside = arith.cmpi uge, %i, %n : index
      cf.cond_br %outside, ^done, ^work
    ^work:
      %at = arith.addi %first, %i : index
      %v = memref.load %x[%at] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%at] : memref<?xf32>
      cf.br ^done
    ^done:
      gpu.return
    }
  }
  func.func @main(%x: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c100 = arith.constant 100 : index
    %a = gpu.wait async
    %b = gpu.wait async
    %front = gpu.launch_func async [%a] @k::@double blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<?xf32>, %c0 : index, %c100 : index)
    %back = gpu.launch_func async [%b] @k::@double blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<?xf32>, %c100 : index, %c100 : index)
    gpu.wait [%front, %back]
    return
  }
}
