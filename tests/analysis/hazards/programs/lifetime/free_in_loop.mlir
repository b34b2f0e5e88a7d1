// A buffer from outside the loop is freed in each round.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%a]
    scf.for %i = %c0 to %c4 step %c1 {
      %s = gpu.wait async
      // expected-error @+1 {{GA303: This gpu.launch_func uses %m after it was freed in an earlier iteration.}}
      %k = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
      // expected-error @+1 {{GA304: %m is freed again here in a later iteration.}}
      %z = gpu.dealloc async [%k] %m : memref<64xf32>
      gpu.wait [%z]
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%a]
    scf.for %i = %c0 to %c4 step %c1 {
      %s = gpu.wait async
      %k = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
      gpu.wait [%k]
    }
    %s = gpu.wait async
    %z = gpu.dealloc async [%s] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
