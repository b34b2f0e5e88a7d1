// One of two buffers is freed, then the one that it may be is used.
module {
  func.func @main(%p: i1, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %x, %a = gpu.alloc async [%t] () : memref<64xf32>
    %y, %b = gpu.alloc async [%a] () : memref<64xf32>
    %i = gpu.memset async [%b] %x, %f : memref<64xf32>, f32
    %j = gpu.memset async [%i] %y, %f : memref<64xf32>, f32
    gpu.wait [%j]
    %u = arith.select %p, %x, %y : memref<64xf32>
    %v = arith.select %p, %y, %x : memref<64xf32>
    %s = gpu.wait async
    %z = gpu.dealloc async [%s] %u : memref<64xf32>
    // expected-error @+1 {{GA303: This gpu.memcpy uses %u after it was freed.}}
    %c = gpu.memcpy async [%z] %h, %u : memref<64xf32>, memref<64xf32>
    %w = gpu.dealloc async [%c] %v : memref<64xf32>
    gpu.wait [%w]
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
    gpu.wait [%j]
    %u = arith.select %p, %x, %y : memref<64xf32>
    %v = arith.select %p, %y, %x : memref<64xf32>
    %s = gpu.wait async
    %z = gpu.dealloc async [%s] %u : memref<64xf32>
    %c = gpu.memcpy async [%z] %h, %v : memref<64xf32>, memref<64xf32>
    %w = gpu.dealloc async [%c] %v : memref<64xf32>
    gpu.wait [%w]
    return
  }
}
