// Of two buffers one is freed.
module {
  func.func @main(%p: i1, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    // expected-warning @+1 {{GA403: %x does not escape, and is not freed if %p is false: such a call leaks it.}}
    %x, %a = gpu.alloc async [%t] () : memref<64xf32>
    // expected-warning @+1 {{GA403: %y does not escape, and is not freed if %p is true: such a call leaks it.}}
    %y, %b = gpu.alloc async [%a] () : memref<64xf32>
    %i = gpu.memset async [%b] %x, %f : memref<64xf32>, f32
    %j = gpu.memset async [%i] %y, %f : memref<64xf32>, f32
    %u = arith.select %p, %x, %y : memref<64xf32>
    %v = arith.select %p, %y, %x : memref<64xf32>
    %c = gpu.memcpy async [%j] %h, %u : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%c] %u : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
// -----
module {
  func.func @main(%p: i1, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %x, %a = gpu.alloc async [%t] () : memref<64xf32>
    %y, %b = gpu.alloc async [%a] () : memref<64xf32>
    %i = gpu.memset async [%b] %x, %f : memref<64xf32>, f32
    %j = gpu.memset async [%i] %y, %f : memref<64xf32>, f32
    %u = arith.select %p, %x, %y : memref<64xf32>
    %v = arith.select %p, %y, %x : memref<64xf32>
    %c = gpu.memcpy async [%j] %h, %u : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%c] %u : memref<64xf32>
    %w = gpu.dealloc async [%z] %v : memref<64xf32>
    gpu.wait [%w]
    return
  }
}
