// Each round's callee allocates a buffer that nobody frees.
module attributes {gpu.container_module} {
  func.func private @make(%t: !gpu.async.token, %h: memref<256xf32>) -> memref<256xf32> {
    %x, %t0 = gpu.alloc async [%t] () : memref<256xf32>
    %a = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    return %x : memref<256xf32>
  }
  func.func @main(%h: memref<256xf32>, %o: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %s = gpu.wait async
    scf.for %i = %c0 to %c8 step %c1 {
      // expected-warning @+1 {{GA403: %x is never freed and does not escape: each call leaks it.}}
      %x = func.call @make(%s, %h) : (!gpu.async.token, memref<256xf32>) -> memref<256xf32>
      %a = gpu.memcpy async [%s] %o, %x : memref<256xf32>, memref<256xf32>
    }
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @make(%t: !gpu.async.token, %h: memref<256xf32>) -> memref<256xf32> {
    %x, %t0 = gpu.alloc async [%t] () : memref<256xf32>
    %a = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    return %x : memref<256xf32>
  }
  func.func @main(%h: memref<256xf32>, %o: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %s = gpu.wait async
    scf.for %i = %c0 to %c8 step %c1 {
      %x = func.call @make(%s, %h) : (!gpu.async.token, memref<256xf32>) -> memref<256xf32>
      %a = gpu.memcpy async [%s] %o, %x : memref<256xf32>, memref<256xf32>
      %d = gpu.dealloc async [%a] %x : memref<256xf32>
    }
    gpu.wait [%s]
    return
  }
}
