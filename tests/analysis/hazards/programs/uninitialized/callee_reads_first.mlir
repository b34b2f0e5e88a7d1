// A callee reads before it writes.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func private @run(%t: !gpu.async.token, %x: memref<256xf32>, %o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %b = gpu.memcpy async [%t] %o, %x : memref<256xf32>, memref<256xf32>
    %a = gpu.launch_func async [%b] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    return
  }
  func.func @main(%o: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    // expected-warning @+1 {{GA305: This func.call reads %x, which nothing has written.}}
    func.call @run(%t0, %x, %o) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    %d = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func private @run(%t: !gpu.async.token, %x: memref<256xf32>, %o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    %b = gpu.memcpy async [%a] %o, %x : memref<256xf32>, memref<256xf32>
    return
  }
  func.func @main(%o: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    func.call @run(%t0, %x, %o) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    %d = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
