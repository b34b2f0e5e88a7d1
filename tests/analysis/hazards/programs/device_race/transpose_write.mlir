// Transpose write.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @t(%a: memref<8x8xf32, strided<[1, 8]>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      memref.store %v, %a[%i, %j] : memref<8x8xf32, strided<[1, 8]>>
      gpu.return
    }
  }
  func.func @main(%m: memref<8x8xf32>, %o: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %tr = memref.transpose %m (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@t blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%tr : memref<8x8xf32, strided<[1, 8]>>, %f0 : f32)
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %m while the gpu.launch_func that writes it may still be running.}}
    %y = gpu.memcpy async [%s1] %o, %m : memref<8x8xf32>, memref<8x8xf32>
    gpu.wait [%x, %y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @t(%a: memref<8x8xf32, strided<[1, 8]>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      memref.store %v, %a[%i, %j] : memref<8x8xf32, strided<[1, 8]>>
      gpu.return
    }
  }
  func.func @main(%m: memref<8x8xf32>, %o: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f0 = arith.constant 0.0 : f32
    %tr = memref.transpose %m (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
    %s0 = gpu.wait async
    %x = gpu.launch_func async [%s0] @k::@t blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%tr : memref<8x8xf32, strided<[1, 8]>>, %f0 : f32)
    %y = gpu.memcpy async [%x] %o, %m : memref<8x8xf32>, memref<8x8xf32>
    gpu.wait [%y]
    return
  }
}
