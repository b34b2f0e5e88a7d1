// Every third element, of which a callee is told the first.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fill(%p: memref<64xf32>, %m: index, %r: index) kernel {
      %v = arith.constant 2.0 : f32
      %t = gpu.thread_id x
      %q = arith.muli %t, %m : index
      %i = arith.addi %q, %r : index
      memref.store %v, %p[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @fill(%s: !gpu.async.token, %p: memref<64xf32>, %r: index) {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c20 = arith.constant 20 : index
    %k = gpu.launch_func async [%s] @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c20, %c1, %c1) args(%p : memref<64xf32>, %c3 : index, %r : index)
    return
  }
  func.func @main(%p: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    call @fill(%s0, %p, %c0) : (!gpu.async.token, memref<64xf32>, index) -> ()
    // expected-warning @+1 {{GA301: This func.call writes %p while work of @fill that writes it may still be running.}}
    call @fill(%s1, %p, %c3) : (!gpu.async.token, memref<64xf32>, index) -> ()
    gpu.wait [%s0, %s1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fill(%p: memref<64xf32>, %m: index, %r: index) kernel {
      %v = arith.constant 2.0 : f32
      %t = gpu.thread_id x
      %q = arith.muli %t, %m : index
      %i = arith.addi %q, %r : index
      memref.store %v, %p[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @fill(%s: !gpu.async.token, %p: memref<64xf32>, %r: index) {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c20 = arith.constant 20 : index
    %k = gpu.launch_func async [%s] @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c20, %c1, %c1) args(%p : memref<64xf32>, %c3 : index, %r : index)
    return
  }
  func.func @main(%p: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    call @fill(%s0, %p, %c0) : (!gpu.async.token, memref<64xf32>, index) -> ()
    call @fill(%s1, %p, %c2) : (!gpu.async.token, memref<64xf32>, index) -> ()
    gpu.wait [%s0, %s1]
    return
  }
}
