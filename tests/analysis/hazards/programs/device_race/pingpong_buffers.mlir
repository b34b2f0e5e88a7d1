// Pingpong buffers.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x, %y = scf.for %i = %c0 to %n step %c1 iter_args(%cur = %a, %nxt = %b) -> (memref<?xf32>, memref<?xf32>) {
      // expected-warning @+1 {{GA301: In a later iteration, this gpu.launch_func reads %cur while the earlier gpu.launch_func, which may read and write it, may still be running.}}
      %l0 = gpu.launch_func async [%s0] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%cur : memref<?xf32>, %nxt : memref<?xf32>)
      // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %nxt while the earlier gpu.launch_func that reads it may still be running.}}
      %l1 = gpu.launch_func async [%s1] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%nxt : memref<?xf32>)
      scf.yield %nxt, %cur : memref<?xf32>, memref<?xf32>
    }
    gpu.wait [%s0, %s1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x, %y = scf.for %i = %c0 to %n step %c1 iter_args(%cur = %a, %nxt = %b) -> (memref<?xf32>, memref<?xf32>) {
      %l0 = gpu.launch_func async [%s0] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%cur : memref<?xf32>, %nxt : memref<?xf32>)
      %l1 = gpu.launch_func async [%l0] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%nxt : memref<?xf32>)
      scf.yield %nxt, %cur : memref<?xf32>, memref<?xf32>
    }
    gpu.wait [%s0, %s1]
    return
  }
}
