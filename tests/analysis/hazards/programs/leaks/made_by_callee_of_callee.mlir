// What a callee's callee allocates is nobody's to free.
module attributes {gpu.container_module} {
  func.func private @make(%t: !gpu.async.token) -> memref<256xf32> {
    %x, %t0 = gpu.alloc async [%t] () : memref<256xf32>
    return %x : memref<256xf32>
  }
  func.func private @make_filled(%t: !gpu.async.token, %h: memref<256xf32>) -> memref<256xf32> {
    %x = func.call @make(%t) : (!gpu.async.token) -> memref<256xf32>
    %a = gpu.memcpy async [%t] %x, %h : memref<256xf32>, memref<256xf32>
    return %x : memref<256xf32>
  }
  func.func @main(%h: memref<256xf32>) {
    %s = gpu.wait async
    // expected-warning @+1 {{GA403: %x is never freed and does not escape: each call leaks it.}}
    %x = func.call @make_filled(%s, %h) : (!gpu.async.token, memref<256xf32>) -> memref<256xf32>
    %b = gpu.memcpy async [%s] %h, %x : memref<256xf32>, memref<256xf32>
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @make(%t: !gpu.async.token) -> memref<256xf32> {
    %x, %t0 = gpu.alloc async [%t] () : memref<256xf32>
    return %x : memref<256xf32>
  }
  func.func private @make_filled(%t: !gpu.async.token, %h: memref<256xf32>) -> memref<256xf32> {
    %x = func.call @make(%t) : (!gpu.async.token) -> memref<256xf32>
    %a = gpu.memcpy async [%t] %x, %h : memref<256xf32>, memref<256xf32>
    return %x : memref<256xf32>
  }
  func.func @main(%h: memref<256xf32>) {
    %s = gpu.wait async
    %x = func.call @make_filled(%s, %h) : (!gpu.async.token, memref<256xf32>) -> memref<256xf32>
    %b = gpu.memcpy async [%s] %h, %x : memref<256xf32>, memref<256xf32>
    %d = gpu.dealloc async [%b] %x : memref<256xf32>
    gpu.wait [%s]
    return
  }
}
