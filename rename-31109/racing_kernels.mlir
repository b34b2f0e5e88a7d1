module attributes {gpu.container_module} {
  func.func @race(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %d, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
    %t2 = gpu.memcpy async [%t1] %d, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%t2]

    %u0 = gpu.wait async
    %u1 = gpu.launch_func async [%u0] @kernels::@double
        blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%d : memref<64xf32>)
    %v0 = gpu.wait async
    %v1 = gpu.launch_func async [%v0] @kernels::@double
        blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%d : memref<64xf32>)
    gpu.wait [%u1, %v1]

    %w0 = gpu.wait async
    %w1 = gpu.memcpy async [%w0] %x, %d : memref<64xf32>, memref<64xf32>
    %w2 = gpu.dealloc async [%w1] %d : memref<64xf32>
    gpu.wait [%w2]
    return
  }

  gpu.module @kernels [#nvvm.target] {
    gpu.func @double(%values: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %value = memref.load %values[%i] : memref<64xf32>
      %twice = arith.addf %value, %value : f32
      memref.store %twice, %values[%i] : memref<64xf32>
      gpu.return
    }
  }
}
