module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
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

  func.func @main(%k: i32, %x: memref<256xf32>, %y: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    cf.switch %k : i32, [
      default: ^copy,
      0: ^scale,
      1: ^fill
    ]
  ^scale:
    %a = gpu.launch_func async [%s] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    cf.br ^end
  ^fill:
    %b = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    cf.br ^end
  ^copy:
    %c = gpu.launch_func async [%s] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>, %x : memref<256xf32>)
    cf.br ^end
  ^end:
    %d = gpu.memcpy async [%s] %h, %x : memref<256xf32>, memref<256xf32>
    gpu.wait [%d]
    %v = memref.load %h[%c0] : memref<256xf32>
    memref.store %v, %x[%c0] : memref<256xf32>
    return
  }
}
