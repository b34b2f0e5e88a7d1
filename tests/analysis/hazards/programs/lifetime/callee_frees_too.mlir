// The callee frees, and the caller once more.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @release(%m: memref<64xf32>) {
    %t = gpu.wait async
    %z = gpu.dealloc async [%t] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %k = gpu.launch_func async [%a] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%k]
    call @release(%m) : (memref<64xf32>) -> ()
    // expected-error @+1 {{GA304: %m is freed again here.}}
    call @release(%m) : (memref<64xf32>) -> ()
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
  func.func private @release(%m: memref<64xf32>) {
    %t = gpu.wait async
    %z = gpu.dealloc async [%t] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %k = gpu.launch_func async [%a] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%k]
    call @release(%m) : (memref<64xf32>) -> ()
    return
  }
}
