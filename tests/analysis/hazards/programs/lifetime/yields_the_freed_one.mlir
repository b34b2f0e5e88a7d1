// A growing buffer: the loop yields the buffer that it has just freed.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    // expected-warning @+1 {{GA403: %m0 does not escape, and is not freed on some path: such a call leaks it.}}
    %m0, %a = gpu.alloc async [%t] () : memref<64xf32>
    %i0 = gpu.memset async [%a] %m0, %f : memref<64xf32>, f32
    gpu.wait [%i0]
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%old = %m0) -> (memref<64xf32>) {
      %s = gpu.wait async
      %new, %b = gpu.alloc async [%s] () : memref<64xf32>
      // expected-error @+1 {{GA303: This gpu.launch_func uses %old after it was freed in an earlier iteration.}}
      %k = gpu.launch_func async [%b] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%old : memref<64xf32>, %new : memref<64xf32>)
      %z = gpu.dealloc async [%k] %new : memref<64xf32>
      gpu.wait [%z]
      scf.yield %new : memref<64xf32>
    }
    %s = gpu.wait async
    // expected-error @+1 {{GA304: %m is freed again here.}}
    %z = gpu.dealloc async [%s] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m0, %a = gpu.alloc async [%t] () : memref<64xf32>
    %i0 = gpu.memset async [%a] %m0, %f : memref<64xf32>, f32
    gpu.wait [%i0]
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%old = %m0) -> (memref<64xf32>) {
      %s = gpu.wait async
      %new, %b = gpu.alloc async [%s] () : memref<64xf32>
      %k = gpu.launch_func async [%b] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%old : memref<64xf32>, %new : memref<64xf32>)
      %z = gpu.dealloc async [%k] %old : memref<64xf32>
      gpu.wait [%z]
      scf.yield %new : memref<64xf32>
    }
    %s = gpu.wait async
    %z = gpu.dealloc async [%s] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
