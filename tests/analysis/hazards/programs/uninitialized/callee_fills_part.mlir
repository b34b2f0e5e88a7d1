// A helper is told to launch three blocks where the buffer takes four.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%d: memref<256xf32>, %v: f32) kernel {
      %i = gpu.global_id x
      memref.store %v, %d[%i] : memref<256xf32>
      gpu.return
    }
  }
  func.func private @fill(%t: !gpu.async.token, %d: memref<256xf32>, %blocks: index, %v: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %k = gpu.launch_func async [%t] @k::@fill blocks in (%blocks, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<256xf32>, %v : f32)
    return
  }
  func.func private @twice(%t: !gpu.async.token, %d: memref<256xf32>, %v: f32) {
    %b = arith.constant 3 : index
    call @fill(%t, %d, %b, %v) : (!gpu.async.token, memref<256xf32>, index, f32) -> ()
    call @fill(%t, %d, %b, %v) : (!gpu.async.token, memref<256xf32>, index, f32) -> ()
    return
  }
  func.func @main(%out: memref<256xf32>, %v: f32) {
    %s = gpu.wait async
    %x, %t = gpu.alloc async [%s] () : memref<256xf32>
    call @twice(%t, %x, %v) : (!gpu.async.token, memref<256xf32>, f32) -> ()
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %x that nothing has written.}}
    %c = gpu.memcpy async [%t] %out, %x : memref<256xf32>, memref<256xf32>
    %f = gpu.dealloc async [%c] %x : memref<256xf32>
    gpu.wait [%f]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%d: memref<256xf32>, %v: f32) kernel {
      %i = gpu.global_id x
      memref.store %v, %d[%i] : memref<256xf32>
      gpu.return
    }
  }
  func.func private @fill(%t: !gpu.async.token, %d: memref<256xf32>, %blocks: index, %v: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %k = gpu.launch_func async [%t] @k::@fill blocks in (%blocks, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<256xf32>, %v : f32)
    return
  }
  func.func private @twice(%t: !gpu.async.token, %d: memref<256xf32>, %v: f32) {
    %b = arith.constant 4 : index
    call @fill(%t, %d, %b, %v) : (!gpu.async.token, memref<256xf32>, index, f32) -> ()
    call @fill(%t, %d, %b, %v) : (!gpu.async.token, memref<256xf32>, index, f32) -> ()
    return
  }
  func.func @main(%out: memref<256xf32>, %v: f32) {
    %s = gpu.wait async
    %x, %t = gpu.alloc async [%s] () : memref<256xf32>
    call @twice(%t, %x, %v) : (!gpu.async.token, memref<256xf32>, f32) -> ()
    %c = gpu.memcpy async [%t] %out, %x : memref<256xf32>, memref<256xf32>
    %f = gpu.dealloc async [%c] %x : memref<256xf32>
    gpu.wait [%f]
    return
  }
}
