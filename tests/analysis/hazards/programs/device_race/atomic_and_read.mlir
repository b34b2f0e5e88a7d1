// Atomic and read.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @hist(%a: memref<?xf32>, %h: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      %r = memref.atomic_rmw addf %v, %h[%i] : (f32, memref<?xf32>) -> f32
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %h: memref<?xf32>, %o: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@hist blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>, %h : memref<?xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func reads %h while the earlier gpu.launch_func that atomically updates it may still be running.}}
    %y = gpu.launch_func async [%s1] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%h : memref<?xf32>, %o : memref<?xf32>)
    gpu.wait [%x, %y]
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
    gpu.func @hist(%a: memref<?xf32>, %h: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      %r = memref.atomic_rmw addf %v, %h[%i] : (f32, memref<?xf32>) -> f32
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %h: memref<?xf32>, %o: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@hist blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>, %h : memref<?xf32>)
    %y = gpu.launch_func async [%s1] @k::@hist blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>, %h : memref<?xf32>)
    gpu.wait [%x, %y]
    return
  }
}
