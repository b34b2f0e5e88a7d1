// A function that calls itself enqueues on one stream, its caller copies on another.
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

  func.func private @walk(%t: !gpu.async.token, %x: memref<256xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %stop = arith.cmpi eq, %n, %c0 : index
    scf.if %stop {
    } else {
      %a = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
      %m = arith.subi %n, %c1 : index
      func.call @walk(%t, %x, %m) : (!gpu.async.token, memref<256xf32>, index) -> ()
    }
    return
  }
  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>, %h: memref<256xf32>) {
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
    func.call @walk(%s0, %x, %c4) : (!gpu.async.token, memref<256xf32>, index) -> ()
    // expected-warning @+1 {{GA301: This gpu.memcpy writes %x while work of @walk, which may read and write it, may still be running.}}
    %b = gpu.memcpy async [%s1] %x, %h : memref<256xf32>, memref<256xf32>
    gpu.wait [%s0, %b]
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
  }

  func.func private @walk(%t: !gpu.async.token, %x: memref<256xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %stop = arith.cmpi eq, %n, %c0 : index
    scf.if %stop {
    } else {
      %a = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
      %m = arith.subi %n, %c1 : index
      func.call @walk(%t, %x, %m) : (!gpu.async.token, memref<256xf32>, index) -> ()
    }
    return
  }
  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>, %h: memref<256xf32>) {
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
    func.call @walk(%s0, %x, %c4) : (!gpu.async.token, memref<256xf32>, index) -> ()
    %b = gpu.memcpy async [%s1] %y, %h : memref<256xf32>, memref<256xf32>
    gpu.wait [%s0, %b]
    return
  }
}
