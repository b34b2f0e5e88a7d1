module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%n: index, %h0: memref<256xf32>, %h1: memref<256xf32>, %x: memref<256xf32>, %y: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    cf.br ^head(%c0, %h0, %h1, %x, %y : index, memref<256xf32>, memref<256xf32>, memref<256xf32>, memref<256xf32>)
  ^head(%i: index, %ha: memref<256xf32>, %hb: memref<256xf32>, %xa: memref<256xf32>, %xb: memref<256xf32>):
    %go = arith.cmpi slt, %i, %n : index
    cf.cond_br %go, ^body, ^exit
  ^body:
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %xa, %ha : memref<256xf32>, memref<256xf32>
    memref.store %f, %hb[%c0] : memref<256xf32>
    %b = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%xa : memref<256xf32>)
    gpu.wait [%b]
    memref.store %f, %ha[%c1] : memref<256xf32>
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j, %hb, %ha, %xb, %xa : index, memref<256xf32>, memref<256xf32>, memref<256xf32>, memref<256xf32>)
  ^exit:
    %v = memref.load %h0[%c0] : memref<256xf32>
    memref.store %v, %h1[%c0] : memref<256xf32>
    return
  }
}
