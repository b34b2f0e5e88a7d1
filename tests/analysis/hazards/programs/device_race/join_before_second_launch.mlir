// The consumer's join was made before the producer's second half.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @part(%x: memref<64xf32>, %off: index) kernel {
      %i = gpu.thread_id x
      %j = arith.addi %i, %off : index
      %v = memref.load %x[%j] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@part blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<64xf32>, %c0 : index)
    %j = gpu.wait async [%a]
    %b = gpu.launch_func async [%a] @k::@part blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<64xf32>, %c32 : index)
    // expected-warning @+1 {{GA301: This gpu.launch_func reads %x while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %c = gpu.launch_func async [%j] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>)
    gpu.wait [%b, %c]
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
    gpu.func @part(%x: memref<64xf32>, %off: index) kernel {
      %i = gpu.thread_id x
      %j = arith.addi %i, %off : index
      %v = memref.load %x[%j] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%j] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@part blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<64xf32>, %c0 : index)
    %j = gpu.wait async [%a]
    %b = gpu.launch_func async [%a] @k::@part blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : memref<64xf32>, %c32 : index)
    gpu.wait [%b]
    %c = gpu.launch_func async [%j] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>)
    gpu.wait [%c]
    return
  }
}
