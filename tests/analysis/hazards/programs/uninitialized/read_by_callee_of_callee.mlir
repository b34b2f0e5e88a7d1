// A callee's callee reads what nothing has written.
module attributes {gpu.container_module} {
  func.func private @pull(%t: !gpu.async.token, %x: memref<256xf32>, %o: memref<256xf32>) {
    %a = gpu.memcpy async [%t] %o, %x : memref<256xf32>, memref<256xf32>
    return
  }
  func.func private @finish(%t: !gpu.async.token, %x: memref<256xf32>, %o: memref<256xf32>) {
    func.call @pull(%t, %x, %o) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    return
  }
  func.func @main(%h: memref<256xf32>, %o: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    // expected-warning @+1 {{GA305: This func.call reads %x, which nothing has written.}}
    func.call @finish(%s, %x, %o) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    %d = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @pull(%t: !gpu.async.token, %x: memref<256xf32>, %o: memref<256xf32>) {
    %a = gpu.memcpy async [%t] %o, %x : memref<256xf32>, memref<256xf32>
    return
  }
  func.func private @finish(%t: !gpu.async.token, %x: memref<256xf32>, %o: memref<256xf32>) {
    func.call @pull(%t, %x, %o) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    return
  }
  func.func @main(%h: memref<256xf32>, %o: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %w = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    func.call @finish(%s, %x, %o) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    %d = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
