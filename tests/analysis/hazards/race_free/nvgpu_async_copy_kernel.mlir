module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @tile(%in: memref<256xf32>, %out: memref<256xf32>) workgroup(%t: memref<256xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %c4 = arith.constant 4 : index
      %j = arith.muli %i, %c4 : index
      %tok = nvgpu.device_async_copy %in[%j], %t[%j], 4 : memref<256xf32> to memref<256xf32, #gpu.address_space<workgroup>>
      %grp = nvgpu.device_async_create_group %tok
      nvgpu.device_async_wait %grp
      gpu.barrier
      %v = memref.load %t[%i] : memref<256xf32, #gpu.address_space<workgroup>>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<256xf32>, %o0: memref<256xf32>, %o1: memref<256xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@tile blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<256xf32>, %o0 : memref<256xf32>)
    %b = gpu.launch_func async [%s1] @k::@tile blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<256xf32>, %o1 : memref<256xf32>)
    %u = memref.load %x[%c4] : memref<256xf32>
    gpu.wait [%a, %b]
    %v = memref.load %o0[%c4] : memref<256xf32>
    %w = arith.addf %u, %v : f32
    return %w : f32
  }
}
