// After a swapping loop both names may be one buffer.
module {
  func.func @main(%n: index, %p: i1) {
    %t = gpu.wait async
    // expected-warning @+1 {{GA403: %x does not escape, and is not freed if %p is false: such a call leaks it.}}
    %x, %a = gpu.alloc async [%t] () : memref<64xf32>
    // expected-warning @+1 {{GA403: %y does not escape, and is not freed if %p is true: such a call leaks it.}}
    %y, %b = gpu.alloc async [%a] () : memref<64xf32>
    gpu.wait [%b]
    %u = arith.select %p, %x, %y : memref<64xf32>
    %v = arith.select %p, %x, %y : memref<64xf32>
    %t1 = gpu.wait async
    %z = gpu.dealloc async [%t1] %u : memref<64xf32>
    // expected-error @+1 {{GA304: %v is freed again here.}}
    %w = gpu.dealloc async [%z] %v : memref<64xf32>
    gpu.wait [%w]
    return
  }
}
// -----
module {
  func.func @main(%n: index, %p: i1) {
    %t = gpu.wait async
    %x, %a = gpu.alloc async [%t] () : memref<64xf32>
    %y, %b = gpu.alloc async [%a] () : memref<64xf32>
    gpu.wait [%b]
    %u = arith.select %p, %x, %y : memref<64xf32>
    %v = arith.select %p, %y, %x : memref<64xf32>
    %t1 = gpu.wait async
    %z = gpu.dealloc async [%t1] %u : memref<64xf32>
    %w = gpu.dealloc async [%z] %v : memref<64xf32>
    gpu.wait [%w]
    return
  }
}
