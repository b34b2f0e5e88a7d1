// The second level starts without the first.
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
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %o: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %p, %a = gpu.alloc async [%t0] () : memref<1xf32>
    %s = gpu.memset async [%a] %p, %f : memref<1xf32>, f32
    gpu.wait [%s]
    %k0 = gpu.launch_func async @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %p : memref<1xf32>)
    %k1 = gpu.launch_func async @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>, %p : memref<1xf32>)
    %j = gpu.wait async [%k0]
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %p while the gpu.launch_func that atomically updates it may still be running.}}
    %c = gpu.memcpy async [%j] %o, %p : memref<1xf32>, memref<1xf32>
    gpu.wait [%c, %k0, %k1]
    %t3 = gpu.wait async
    %z = gpu.dealloc async [%t3] %p : memref<1xf32>
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
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %o: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %p, %a = gpu.alloc async [%t0] () : memref<1xf32>
    %s = gpu.memset async [%a] %p, %f : memref<1xf32>, f32
    gpu.wait [%s]
    %k0 = gpu.launch_func async @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %p : memref<1xf32>)
    %k1 = gpu.launch_func async @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>, %p : memref<1xf32>)
    %j = gpu.wait async [%k0, %k1]
    %c = gpu.memcpy async [%j] %o, %p : memref<1xf32>, memref<1xf32>
    gpu.wait [%c, %k0, %k1]
    %t3 = gpu.wait async
    %z = gpu.dealloc async [%t3] %p : memref<1xf32>
    gpu.wait [%z]
    return
  }
}
