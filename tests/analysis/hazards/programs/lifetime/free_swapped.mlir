// Free swapped.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    // expected-warning @+1 {{GA403: %p does not escape, and is not freed on some path: such a call leaks it.}}
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    // expected-warning @+1 {{GA403: %q does not escape, and is not freed on some path: such a call leaks it.}}
    %q, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
    %t2 = gpu.memset async [%t1] %p, %f0 : memref<?xf32>, f32
    %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p, %y = %q) -> (memref<?xf32>, memref<?xf32>) {
      %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<?xf32>)
      scf.yield %y, %x : memref<?xf32>, memref<?xf32>
    }
    %t3 = gpu.dealloc async [%t2] %a : memref<?xf32>
    // expected-error @+1 {{GA304: %a is freed again here.}}
    %t4 = gpu.dealloc async [%t3] %a : memref<?xf32>
    gpu.wait [%t4]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %q, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
    %t2 = gpu.memset async [%t1] %p, %f0 : memref<?xf32>, f32
    %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p, %y = %q) -> (memref<?xf32>, memref<?xf32>) {
      %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<?xf32>)
      scf.yield %y, %x : memref<?xf32>, memref<?xf32>
    }
    %t3 = gpu.dealloc async [%t2] %a : memref<?xf32>
    %t4 = gpu.dealloc async [%t3] %b : memref<?xf32>
    gpu.wait [%t4]
    return
  }
}
