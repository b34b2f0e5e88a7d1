// The callee rounds the number of blocks down, so that the last elements stay as they were.
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
      scf.if %in {
        memref.store %v, %p[%i] : memref<1000xf32>
      }
      gpu.return
    }
  }
  func.func private @launch(%p: memref<1000xf32>, %t: !gpu.async.token, %n: index) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %g = arith.divui %n, %c128 : index
    %k = gpu.launch_func async [%t] @kernels::@fill blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%p : memref<1000xf32>)
    return
  }
  func.func @main(%h: memref<1000xf32>) {
    %c1000 = arith.constant 1000 : index
    %s = gpu.wait async
    %p, %t = gpu.alloc async [%s] () : memref<1000xf32>
    call @launch(%p, %t, %c1000) : (memref<1000xf32>, !gpu.async.token, index) -> ()
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %p that nothing has written.}}
    %m = gpu.memcpy async [%t] %h, %p : memref<1000xf32>, memref<1000xf32>
    %f = gpu.dealloc async [%m] %p : memref<1000xf32>
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
      scf.if %in {
        memref.store %v, %p[%i] : memref<1000xf32>
      }
      gpu.return
    }
  }
  func.func private @launch(%p: memref<1000xf32>, %t: !gpu.async.token, %n: index) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %g = arith.ceildivui %n, %c128 : index
    %k = gpu.launch_func async [%t] @kernels::@fill blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%p : memref<1000xf32>)
    return
  }
  func.func @main(%h: memref<1000xf32>) {
    %c1000 = arith.constant 1000 : index
    %s = gpu.wait async
    %p, %t = gpu.alloc async [%s] () : memref<1000xf32>
    call @launch(%p, %t, %c1000) : (memref<1000xf32>, !gpu.async.token, index) -> ()
    %m = gpu.memcpy async [%t] %h, %p : memref<1000xf32>, memref<1000xf32>
    %f = gpu.dealloc async [%m] %p : memref<1000xf32>
    gpu.wait [%f]
    return
  }
}
