// Atomics add to memory that nothing has cleared.
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
  func.func @main(%x: memref<64xf32>, %o: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %r, %a = gpu.alloc async [%t] () : memref<1xf32>
    // expected-warning @+1 {{GA305: This gpu.launch_func reads %r, which nothing has written.}}
    %k = gpu.launch_func async [%a] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %r : memref<1xf32>)
    %c = gpu.memcpy async [%k] %o, %r : memref<1xf32>, memref<1xf32>
    %z = gpu.dealloc async [%c] %r : memref<1xf32>
    gpu.wait [%z]
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
  func.func @main(%x: memref<64xf32>, %o: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %r, %a = gpu.alloc async [%t] () : memref<1xf32>
    %s = gpu.memset async [%a] %r, %f : memref<1xf32>, f32
    %k = gpu.launch_func async [%s] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %r : memref<1xf32>)
    %c = gpu.memcpy async [%k] %o, %r : memref<1xf32>, memref<1xf32>
    %z = gpu.dealloc async [%c] %r : memref<1xf32>
    gpu.wait [%z]
    return
  }
}
