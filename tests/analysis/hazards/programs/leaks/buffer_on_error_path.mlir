// The error path forgets the buffer.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %p: i1) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    // expected-warning @+1 {{GA403: %m does not escape, and is not freed if %p is true: such a call leaks it.}}
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %k = gpu.launch_func async [%a] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    cf.cond_br %p, ^bad, ^good
  ^bad:
    gpu.wait [%k]
    return
  ^good:
    %c = gpu.memcpy async [%k] %h, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%c] %m : memref<64xf32>
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
  func.func @main(%h: memref<64xf32>, %p: i1) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %k = gpu.launch_func async [%a] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    cf.cond_br %p, ^bad, ^good
  ^bad:
    %y = gpu.dealloc async [%k] %m : memref<64xf32>
    gpu.wait [%y]
    return
  ^good:
    %c = gpu.memcpy async [%k] %h, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%c] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
