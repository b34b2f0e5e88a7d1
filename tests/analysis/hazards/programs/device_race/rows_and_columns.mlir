// Rows and columns.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @row(%a: memref<16xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %a[%i] : memref<16xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @col(%a: memref<16xf32, strided<[16], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %a[%i] : memref<16xf32, strided<[16], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<16x16xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %r = memref.subview %m[3, 0] [1, 16] [1, 1] : memref<16x16xf32> to memref<16xf32, strided<[1], offset: 48>>
    %r2 = memref.cast %r : memref<16xf32, strided<[1], offset: 48>> to memref<16xf32, strided<[1], offset: ?>>
    %q = memref.subview %m[0, 5] [16, 1] [1, 1] : memref<16x16xf32> to memref<16xf32, strided<[16], offset: 5>>
    %q2 = memref.cast %q : memref<16xf32, strided<[16], offset: 5>> to memref<16xf32, strided<[16], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@row blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%r2 : memref<16xf32, strided<[1], offset: ?>>, %f0 : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %y = gpu.launch_func async [%s1] @k::@col blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%q2 : memref<16xf32, strided<[16], offset: ?>>, %f1 : f32)
    gpu.wait [%x, %y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @row(%a: memref<16xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %a[%i] : memref<16xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @col(%a: memref<16xf32, strided<[16], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %a[%i] : memref<16xf32, strided<[16], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<16x16xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %r = memref.subview %m[3, 0] [1, 16] [1, 1] : memref<16x16xf32> to memref<16xf32, strided<[1], offset: 48>>
    %r2 = memref.cast %r : memref<16xf32, strided<[1], offset: 48>> to memref<16xf32, strided<[1], offset: ?>>
    %q = memref.subview %m[4, 0] [1, 16] [1, 1] : memref<16x16xf32> to memref<16xf32, strided<[1], offset: 64>>
    %q2 = memref.cast %q : memref<16xf32, strided<[1], offset: 64>> to memref<16xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@row blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%r2 : memref<16xf32, strided<[1], offset: ?>>, %f0 : f32)
    %y = gpu.launch_func async [%s1] @k::@row blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%q2 : memref<16xf32, strided<[1], offset: ?>>, %f1 : f32)
    gpu.wait [%x, %y]
    return
  }
}
