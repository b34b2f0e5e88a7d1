// Two joins in a chain, the streams of the first are forgotten.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @add(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      %w = memref.load %b[%i] : memref<64xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %c[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    // expected-warning @+1 {{GA402: The stream of %a is joined through an event into another stream and never destroyed: each call leaks it.}}
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    // expected-warning @+1 {{GA402: The stream of %b is joined through an event into another stream and never destroyed: each call leaks it.}}
    %b = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    %c = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%z : memref<64xf32>)
    %j0 = gpu.wait async [%a, %b]
    %k = gpu.launch_func async [%j0] @k::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>, %x : memref<64xf32>)
    %j1 = gpu.wait async [%k, %c]
    %l = gpu.launch_func async [%j1] @k::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %z : memref<64xf32>, %y : memref<64xf32>)
    gpu.wait [%l, %k, %c]
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
    gpu.func @add(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      %w = memref.load %b[%i] : memref<64xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %c[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    %b = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    %c = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%z : memref<64xf32>)
    %j0 = gpu.wait async [%a, %b]
    %k = gpu.launch_func async [%j0] @k::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>, %x : memref<64xf32>)
    %j1 = gpu.wait async [%k, %c]
    %l = gpu.launch_func async [%j1] @k::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %z : memref<64xf32>, %y : memref<64xf32>)
    gpu.wait [%l, %k, %c, %a, %b]
    return
  }
}
