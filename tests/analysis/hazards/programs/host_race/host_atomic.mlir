// An atomic of the host while a kernel updates.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @sum(%a: memref<64xf32>, %r: memref<1xf32>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = memref.load %a[%i] : memref<64xf32>
      %o = memref.atomic_rmw addf %v, %r[%z] : (f32, memref<1xf32>) -> f32
      gpu.return
    }
  }
  func.func @main(%d: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %r = memref.alloc() : memref<1xf32>
    %u = memref.cast %r : memref<1xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    memref.store %f, %r[%c0] : memref<1xf32>
    %ud = memref.cast %d : memref<64xf32> to memref<*xf32>
    gpu.host_register %ud : memref<*xf32>
    %t = gpu.wait async
    %k = gpu.launch_func async [%t] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %r : memref<1xf32>)
    // expected-warning @+1 {{GA302: The host atomically updates %r while the gpu.launch_func that atomically updates it may still be running.}}
    %o = memref.atomic_rmw addf %f, %r[%c0] : (f32, memref<1xf32>) -> f32
    gpu.wait [%k]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @sum(%a: memref<64xf32>, %r: memref<1xf32>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = memref.load %a[%i] : memref<64xf32>
      %o = memref.atomic_rmw addf %v, %r[%z] : (f32, memref<1xf32>) -> f32
      gpu.return
    }
  }
  func.func @main(%d: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %r = memref.alloc() : memref<1xf32>
    %u = memref.cast %r : memref<1xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    memref.store %f, %r[%c0] : memref<1xf32>
    %ud = memref.cast %d : memref<64xf32> to memref<*xf32>
    gpu.host_register %ud : memref<*xf32>
    %t = gpu.wait async
    %k = gpu.launch_func async [%t] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %r : memref<1xf32>)
    gpu.wait [%k]
    %o = memref.atomic_rmw addf %f, %r[%c0] : (f32, memref<1xf32>) -> f32
    return
  }
}
