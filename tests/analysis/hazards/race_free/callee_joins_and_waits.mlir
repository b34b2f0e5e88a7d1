module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%in: memref<256xf32>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<256xf32>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func private @both(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    %b = gpu.launch_func async [%s1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>, %f : f32)
    %j = gpu.wait async [%a, %b]
    %c = gpu.launch_func async [%j] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %z : memref<256xf32>)
    gpu.wait [%c, %a, %b]
    return
  }
  func.func private @outer(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) {
    func.call @both(%x, %y, %z) : (memref<256xf32>, memref<256xf32>, memref<256xf32>) -> ()
    return
  }
  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    func.call @outer(%x, %y, %z) : (memref<256xf32>, memref<256xf32>, memref<256xf32>) -> ()
    %v = memref.load %z[%c0] : memref<256xf32>
    memref.store %v, %x[%c1] : memref<256xf32>
    func.call @outer(%y, %x, %z) : (memref<256xf32>, memref<256xf32>, memref<256xf32>) -> ()
    %w = memref.load %z[%c1] : memref<256xf32>
    return %w : f32
  }
}
