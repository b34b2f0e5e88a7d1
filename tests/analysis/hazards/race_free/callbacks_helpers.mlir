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

  func.func private @upload(%t: !gpu.async.token, %d: memref<256xf32>, %h: memref<256xf32>) {
    %r = gpu.memcpy async [%t] %d, %h : memref<256xf32>, memref<256xf32>
    return
  }
  func.func private @compute(%t: !gpu.async.token, %d: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %r = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%d : memref<256xf32>)
    return
  }
  func.func private @download(%t: !gpu.async.token, %h: memref<256xf32>, %d: memref<256xf32>) {
    %r = gpu.memcpy async [%t] %h, %d : memref<256xf32>, memref<256xf32>
    return
  }
  func.func private @step(%t: !gpu.async.token, %h: memref<256xf32>, %d: memref<256xf32>) {
    func.call @upload(%t, %d, %h) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    func.call @compute(%t, %d) : (!gpu.async.token, memref<256xf32>) -> ()
    func.call @download(%t, %h, %d) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    return
  }
  func.func private @check(%h: memref<256xf32>) -> f32 {
    %i = arith.constant 3 : index
    %v = memref.load %h[%i] : memref<256xf32>
    return %v : f32
  }
  func.func @main(%h0: memref<256xf32>, %h1: memref<256xf32>) -> f32 {
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x, %t0 = gpu.alloc async [%s0] () : memref<256xf32>
    %y, %t1 = gpu.alloc async [%s1] () : memref<256xf32>
    func.call @step(%t0, %h0, %x) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    func.call @step(%t1, %h1, %y) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    %d0 = gpu.dealloc async [%s0] %x : memref<256xf32>
    %d1 = gpu.dealloc async [%s1] %y : memref<256xf32>
    gpu.wait [%d0, %d1]
    %v = func.call @check(%h0) : (memref<256xf32>) -> f32
    %w = func.call @check(%h1) : (memref<256xf32>) -> f32
    %r = arith.addf %v, %w : f32
    return %r : f32
  }
}
