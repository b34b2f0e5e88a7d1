// A kernel with a tile of workgroup memory reads what is cleared beside it.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @stencil(%in: memref<256xf32>, %out: memref<256xf32>) workgroup(%tile: memref<258xf32, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : index
      %i = gpu.thread_id x
      %j = arith.addi %i, %c1 : index
      %v = memref.load %in[%i] : memref<256xf32>
      memref.store %v, %tile[%j] : memref<258xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %l = memref.load %tile[%j] : memref<258xf32, #gpu.address_space<workgroup>>
      %w = arith.addf %v, %l : f32
      memref.store %w, %out[%i] : memref<256xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@stencil blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %y : memref<256xf32>)
    // expected-warning @+1 {{GA301: This gpu.memset writes %x while the gpu.launch_func that reads it may still be running.}}
    %b = gpu.memset async [%s1] %x, %f : memref<256xf32>, f32
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @stencil(%in: memref<256xf32>, %out: memref<256xf32>) workgroup(%tile: memref<258xf32, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : index
      %i = gpu.thread_id x
      %j = arith.addi %i, %c1 : index
      %v = memref.load %in[%i] : memref<256xf32>
      memref.store %v, %tile[%j] : memref<258xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %l = memref.load %tile[%j] : memref<258xf32, #gpu.address_space<workgroup>>
      %w = arith.addf %v, %l : f32
      memref.store %w, %out[%i] : memref<256xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@stencil blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %y : memref<256xf32>)
    %b = gpu.memset async [%s1] %z, %f : memref<256xf32>, f32
    gpu.wait [%a, %b]
    return
  }
}
