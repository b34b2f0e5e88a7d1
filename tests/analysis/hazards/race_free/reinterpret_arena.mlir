module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @readv(%in: memref<?xf32, strided<[1], offset: ?>>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<?xf32, strided<[1], offset: ?>>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%arena: memref<1024xf32>, %h: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %w0 = memref.reinterpret_cast %arena to offset: [0], sizes: [256], strides: [1] : memref<1024xf32> to memref<256xf32, strided<[1]>>
    %w1 = memref.reinterpret_cast %arena to offset: [256], sizes: [256], strides: [1] : memref<1024xf32> to memref<256xf32, strided<[1], offset: 256>>
    %w2 = memref.reinterpret_cast %arena to offset: [512], sizes: [256], strides: [1] : memref<1024xf32> to memref<256xf32, strided<[1], offset: 512>>
    %v0 = memref.cast %w0 : memref<256xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %v1 = memref.cast %w1 : memref<256xf32, strided<[1], offset: 256>> to memref<?xf32, strided<[1], offset: ?>>
    %v2 = memref.cast %w2 : memref<256xf32, strided<[1], offset: 512>> to memref<?xf32, strided<[1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %s2 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%v0 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    %b = gpu.launch_func async [%s1] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%v1 : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    %c = gpu.launch_func async [%s2] @k::@readv blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%v2 : memref<?xf32, strided<[1], offset: ?>>, %h : memref<256xf32>)
    %far = arith.constant 800 : index
    memref.store %f, %arena[%far] : memref<1024xf32>
    gpu.wait [%a, %b, %c]
    return
  }
}
