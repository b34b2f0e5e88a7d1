// A callee's callee frees what is copied to.
module attributes {gpu.container_module} {
  func.func private @release(%t: !gpu.async.token, %x: memref<256xf32>) {
    %r = gpu.dealloc async [%t] %x : memref<256xf32>
    return
  }
  func.func private @cleanup(%t: !gpu.async.token, %x: memref<256xf32>) {
    func.call @release(%t, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    return
  }
  func.func @main(%h: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    func.call @cleanup(%t0, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    // expected-error @+1 {{GA303: This gpu.memcpy uses %x after it was freed.}}
    %t1 = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    gpu.wait [%t1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @release(%t: !gpu.async.token, %x: memref<256xf32>) {
    %r = gpu.dealloc async [%t] %x : memref<256xf32>
    return
  }
  func.func private @cleanup(%t: !gpu.async.token, %x: memref<256xf32>) {
    func.call @release(%t, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    return
  }
  func.func @main(%h: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %t1 = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    func.call @cleanup(%t1, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    gpu.wait [%t1]
    return
  }
}
