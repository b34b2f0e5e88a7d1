module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%m: index, %x: memref<256xf32>, %y: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %b = scf.index_switch %m -> memref<256xf32>
    case 0 {
      %a = gpu.launch_func async [%s0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
      scf.yield %x : memref<256xf32>
    }
    case 1 {
      %a = gpu.launch_func async [%s0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>, %f : f32)
      scf.yield %y : memref<256xf32>
    }
    default {
      scf.yield %x : memref<256xf32>
    }
    gpu.wait [%s0]
    %c = gpu.memcpy async [%s1] %h, %b : memref<256xf32>, memref<256xf32>
    gpu.wait [%c]
    %v = memref.load %h[%c0] : memref<256xf32>
    memref.store %v, %x[%c0] : memref<256xf32>
    memref.store %v, %y[%c0] : memref<256xf32>
    return
  }
}
