// One buffer for two arguments.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%x: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %x[%t] : memref<64xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %x[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @both(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %r = gpu.wait async
    %t = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %x while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %u = gpu.launch_func async [%r] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    gpu.wait [%t, %u]
    return
  }
  func.func @f(%a: memref<64xf32>) {
    call @both(%a, %a) : (memref<64xf32>, memref<64xf32>) -> ()
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%x: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %x[%t] : memref<64xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %x[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @both(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %r = gpu.wait async
    %t = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    %u = gpu.launch_func async [%r] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    gpu.wait [%t, %u]
    return
  }
  func.func @f(%a: memref<64xf32>, %b: memref<64xf32>) {
    call @both(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
    return
  }
}
