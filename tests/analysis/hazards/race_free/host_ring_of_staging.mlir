module attributes {gpu.container_module} {

  func.func @main(%src: memref<8x256xf32>, %x: memref<8x256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %h0 = memref.alloc() : memref<8x256xf32>
    %d0 = memref.alloc() : memref<8x256xf32>
    %u = memref.cast %h0 : memref<8x256xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c256 step %c1 {
        %v = memref.load %src[%i, %j] : memref<8x256xf32>
        %w = arith.addf %v, %f : f32
        memref.store %w, %h0[%i, %j] : memref<8x256xf32>
      }
    }
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %h0 : memref<8x256xf32>, memref<8x256xf32>
    %v = memref.load %h0[%c0, %c0] : memref<8x256xf32>
    memref.store %v, %d0[%c0, %c0] : memref<8x256xf32>
    gpu.wait [%a]
    memref.store %v, %h0[%c0, %c0] : memref<8x256xf32>
    gpu.host_unregister %u : memref<*xf32>
    memref.dealloc %h0 : memref<8x256xf32>
    memref.dealloc %d0 : memref<8x256xf32>
    return
  }
}
