// The runner's print reads before the wait.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @printMemrefF32(memref<*xf32>)
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %h = memref.alloc() : memref<64xf32>
    %u = memref.cast %h : memref<64xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    %t = gpu.wait async
    %k = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<64xf32>)
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.launch_func that writes it may still be running.}}
    call @printMemrefF32(%u) : (memref<*xf32>) -> ()
    gpu.wait [%k]
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
  func.func private @printMemrefF32(memref<*xf32>)
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %h = memref.alloc() : memref<64xf32>
    %u = memref.cast %h : memref<64xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    %t = gpu.wait async
    %k = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<64xf32>)
    gpu.wait [%k]
    call @printMemrefF32(%u) : (memref<*xf32>) -> ()
    return
  }
}
