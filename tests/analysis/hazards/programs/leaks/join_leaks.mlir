// Join leaks.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @sum(%a: memref<?xf32>, %b: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      %w = memref.load %b[%i] : memref<?xf32>
      %x = arith.addf %v, %w : f32
      memref.store %x, %o[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    // expected-warning @+1 {{GA402: The stream of %s0 is joined through an event into another stream and never destroyed: each call leaks it.}}
    %s0 = gpu.wait async
    // expected-warning @+1 {{GA402: The stream of %s1 is joined through an event into another stream and never destroyed: each call leaks it.}}
    %s1 = gpu.wait async
    %x = gpu.memcpy async [%s0] %a, %c : memref<?xf32>, memref<?xf32>
    %y = gpu.memcpy async [%s1] %b, %c : memref<?xf32>, memref<?xf32>
    %j = gpu.wait async [%x, %y]
    %l = gpu.launch_func async [%j] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>, %b : memref<?xf32>, %a : memref<?xf32>)
    gpu.wait [%l]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @sum(%a: memref<?xf32>, %b: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      %w = memref.load %b[%i] : memref<?xf32>
      %x = arith.addf %v, %w : f32
      memref.store %x, %o[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.memcpy async [%s0] %a, %c : memref<?xf32>, memref<?xf32>
    %y = gpu.memcpy async [%s1] %b, %c : memref<?xf32>, memref<?xf32>
    %j = gpu.wait async [%x, %y]
    %l = gpu.launch_func async [%j] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<?xf32>, %b : memref<?xf32>, %a : memref<?xf32>)
    gpu.wait [%l]
    gpu.wait [%x, %y]
    return
  }
}
