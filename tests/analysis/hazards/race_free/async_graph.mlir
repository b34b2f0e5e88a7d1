module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%in: memref<256xf32>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<256xf32>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%h0: memref<256xf32>, %h1: memref<256xf32>, %x: memref<256xf32>, %y: memref<256xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index

    %t0 = async.execute {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %x, %h0 : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
      async.yield
    }
    %t1 = async.execute {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %y, %h1 : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
      async.yield
    }
    %t2 = async.execute [%t0, %t1] {
      %s = gpu.wait async
      %a = gpu.launch_func async [%s] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %y : memref<256xf32>)
      %b = gpu.memcpy async [%a] %h1, %y : memref<256xf32>, memref<256xf32>
      gpu.wait [%b]
      async.yield
    }
    async.await %t2 : !async.token
    %v = memref.load %h1[%c2] : memref<256xf32>
    return %v : f32
  }
}
