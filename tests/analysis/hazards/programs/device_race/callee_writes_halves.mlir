// A helper writes half a buffer from where it is told; the second half begins too early.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @half(%d: memref<256xf32>, %start: index, %v: f32) kernel {
      %t = gpu.thread_id x
      %i = arith.addi %start, %t : index
      memref.store %v, %d[%i] : memref<256xf32>
      gpu.return
    }
  }
  func.func private @half(%t: !gpu.async.token, %d: memref<256xf32>, %start: index, %v: f32) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %k = gpu.launch_func async [%t] @k::@half blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%d : memref<256xf32>, %start : index, %v : f32)
    return
  }
  func.func @main(%x: memref<256xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %second = arith.constant 127 : index
    %s = gpu.wait async
    %t = gpu.wait async
    call @half(%s, %x, %c0, %v) : (!gpu.async.token, memref<256xf32>, index, f32) -> ()
    // expected-warning @+1 {{GA301: This func.call writes %x while work of @half that writes it may still be running.}}
    call @half(%t, %x, %second, %v) : (!gpu.async.token, memref<256xf32>, index, f32) -> ()
    gpu.wait [%s]
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @half(%d: memref<256xf32>, %start: index, %v: f32) kernel {
      %t = gpu.thread_id x
      %i = arith.addi %start, %t : index
      memref.store %v, %d[%i] : memref<256xf32>
      gpu.return
    }
  }
  func.func private @half(%t: !gpu.async.token, %d: memref<256xf32>, %start: index, %v: f32) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %k = gpu.launch_func async [%t] @k::@half blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%d : memref<256xf32>, %start : index, %v : f32)
    return
  }
  func.func @main(%x: memref<256xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %second = arith.constant 128 : index
    %s = gpu.wait async
    %t = gpu.wait async
    call @half(%s, %x, %c0, %v) : (!gpu.async.token, memref<256xf32>, index, f32) -> ()
    call @half(%t, %x, %second, %v) : (!gpu.async.token, memref<256xf32>, index, f32) -> ()
    gpu.wait [%s]
    gpu.wait [%t]
    return
  }
}
