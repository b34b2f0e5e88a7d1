module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @tr(%in: memref<32x32xf32>, %out: memref<32x32xf32>) workgroup(%t: memref<32x33xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      %v = memref.load %in[%i, %j] : memref<32x32xf32>
      memref.store %v, %t[%j, %i] : memref<32x33xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w = memref.load %t[%i, %j] : memref<32x33xf32, #gpu.address_space<workgroup>>
      memref.store %w, %out[%i, %j] : memref<32x32xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<32x32xf32>, %o: memref<32x32xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index

    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<32x32xf32>
    %y, %t1 = gpu.alloc async [%t0] () : memref<32x32xf32>
    %t2 = gpu.memcpy async [%t1] %x, %h : memref<32x32xf32>, memref<32x32xf32>
    %t3 = gpu.launch_func async [%t2] @k::@tr blocks in (%c1, %c1, %c1) threads in (%c32, %c32, %c1) args(%x : memref<32x32xf32>, %y : memref<32x32xf32>)
    %t4 = gpu.memcpy async [%t3] %o, %y : memref<32x32xf32>, memref<32x32xf32>
    %sum = memref.load %h[%c0, %c0] : memref<32x32xf32>
    %t5 = gpu.dealloc async [%t4] %x : memref<32x32xf32>
    %t6 = gpu.dealloc async [%t5] %y : memref<32x32xf32>
    gpu.wait [%t6]
    memref.store %sum, %o[%c1, %c1] : memref<32x32xf32>
    return
  }
}
