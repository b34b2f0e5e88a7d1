// Subview symbolic.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @vinc(%a: memref<?xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32, strided<[1], offset: ?>>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%o: index, %len: index, %dev: memref<?xf32>, %host: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %sv = memref.subview %dev[%o] [%len] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %s = gpu.wait async
    %l = gpu.launch_func async [%s] @k::@vinc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%sv : memref<?xf32, strided<[1], offset: ?>>)
    // expected-warning @+1 {{GA302: The host reads %dev while the gpu.launch_func, which may read and write it, may still be running.}}
    %v = memref.load %sv[%c0] : memref<?xf32, strided<[1], offset: ?>>
    gpu.wait [%l]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @vinc(%a: memref<?xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32, strided<[1], offset: ?>>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%o: index, %len: index, %dev: memref<?xf32>, %host: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %sv = memref.subview %dev[%o] [%len] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %s = gpu.wait async
    %l = gpu.launch_func async [%s] @k::@vinc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%sv : memref<?xf32, strided<[1], offset: ?>>)
    gpu.wait [%l]
    %v = memref.load %sv[%c0] : memref<?xf32, strided<[1], offset: ?>>
    return %v : f32
  }
}
