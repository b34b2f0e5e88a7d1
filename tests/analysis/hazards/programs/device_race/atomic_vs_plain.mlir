// A copy of the sum while a kernel adds to it.
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
  func.func @main(%x: memref<64xf32>, %r: memref<1xf32>, %h: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %r : memref<1xf32>)
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %r while the gpu.launch_func that atomically updates it may still be running.}}
    %b = gpu.memcpy async [%t1] %h, %r : memref<1xf32>, memref<1xf32>
    gpu.wait [%a, %b]
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
  func.func @main(%x: memref<64xf32>, %r: memref<1xf32>, %h: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %r : memref<1xf32>)
    %b = gpu.memcpy async [%a] %h, %r : memref<1xf32>, memref<1xf32>
    gpu.wait [%b, %t1]
    return
  }
}
