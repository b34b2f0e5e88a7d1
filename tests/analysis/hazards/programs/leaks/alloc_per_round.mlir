// Each round allocates, the last one's buffer is freed.
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
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    // expected-warning @+1 {{GA403: %m0 does not escape, and is not freed on some path: such a call leaks it.}}
    %m0, %a0 = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%a0]
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%old = %m0) -> (memref<64xf32>) {
      %s = gpu.wait async
      // expected-warning @+1 {{GA403: %new does not escape, and is not freed if the loop repeats: such a call leaks it.}}
      %new, %b = gpu.alloc async [%s] () : memref<64xf32>
      %k = gpu.launch_func async [%b] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%new : memref<64xf32>)
      gpu.wait [%k]
      scf.yield %new : memref<64xf32>
    }
    %s = gpu.wait async
    %z = gpu.dealloc async [%s] %m : memref<64xf32>
    gpu.wait [%z]
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
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m0, %a0 = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%a0]
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%old = %m0) -> (memref<64xf32>) {
      %s = gpu.wait async
      %new, %b = gpu.alloc async [%s] () : memref<64xf32>
      %k = gpu.launch_func async [%b] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%new : memref<64xf32>)
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
