// A switch of blocks chooses what is filled.
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

  func.func @main(%k: i32, %x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    cf.switch %k : i32, [
      default: ^go(%y : memref<256xf32>),
      0: ^go(%x : memref<256xf32>),
      1: ^go(%z : memref<256xf32>)
    ]
  ^go(%b: memref<256xf32>):
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %b while the earlier gpu.launch_func, which may read and write it, may still be running if %k is 0.}}
    %c = gpu.launch_func async [%s1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%b : memref<256xf32>, %f : f32)
    gpu.wait [%a, %c]
    return
  }
}
// -----
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

  func.func @main(%k: i32, %x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    cf.switch %k : i32, [
      default: ^go(%y : memref<256xf32>),
      0: ^go(%z : memref<256xf32>),
      1: ^go(%z : memref<256xf32>)
    ]
  ^go(%b: memref<256xf32>):
    %c = gpu.launch_func async [%s1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%b : memref<256xf32>, %f : f32)
    gpu.wait [%a, %c]
    return
  }
}
