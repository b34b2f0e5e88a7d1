// A callee's callee launches on another stream.
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

  func.func private @work(%t: !gpu.async.token, %x: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %r = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    return
  }
  func.func private @stage(%t: !gpu.async.token, %x: memref<256xf32>) {
    func.call @work(%t, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    return
  }
  func.func @main(%x: memref<256xf32>, %h: memref<256xf32>) {
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.memcpy async [%s0] %x, %h : memref<256xf32>, memref<256xf32>
    // expected-warning @+1 {{GA301: This func.call may read and write %x while the gpu.memcpy that writes it may still be running.}}
    func.call @stage(%s1, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    gpu.wait [%a, %s1]
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

  func.func private @work(%t: !gpu.async.token, %x: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %r = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    return
  }
  func.func private @stage(%t: !gpu.async.token, %x: memref<256xf32>) {
    func.call @work(%t, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    return
  }
  func.func @main(%x: memref<256xf32>, %h: memref<256xf32>) {
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.memcpy async [%s0] %x, %h : memref<256xf32>, memref<256xf32>
    func.call @stage(%a, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    gpu.wait [%a, %s1]
    return
  }
}
