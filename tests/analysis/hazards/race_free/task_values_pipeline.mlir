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

  func.func @main(%h: memref<256xf32>, %o: memref<256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %t0, %f0 = async.execute -> !async.value<memref<256xf32>> {
      %s = gpu.wait async
      %x, %e0 = gpu.alloc async [%s] () : memref<256xf32>
      %e1 = gpu.memcpy async [%e0] %x, %h : memref<256xf32>, memref<256xf32>
      gpu.wait [%e1]
      async.yield %x : memref<256xf32>
    }
    %t1, %f1 = async.execute [%t0] (%f0 as %x: !async.value<memref<256xf32>>) -> !async.value<memref<256xf32>> {
      %s = gpu.wait async
      %a = gpu.launch_func async [%s] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
      gpu.wait [%a]
      async.yield %x : memref<256xf32>
    }
    %t2 = async.execute [%t1] (%f1 as %x: !async.value<memref<256xf32>>) {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %o, %x : memref<256xf32>, memref<256xf32>
      %d = gpu.dealloc async [%a] %x : memref<256xf32>
      gpu.wait [%d]
      async.yield
    }
    async.await %t2 : !async.token
    %v = memref.load %o[%c0] : memref<256xf32>
    return %v : f32
  }
}
