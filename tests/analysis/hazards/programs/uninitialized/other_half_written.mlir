// A byte arena: the first half is written, the second read.
module {
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %at = arith.constant 256 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<512xi8>
    %v = memref.view %m[%c0][] : memref<512xi8> to memref<64xf32>
    %w = memref.view %m[%at][] : memref<512xi8> to memref<64xf32>
    %c = gpu.memcpy async [%a] %v, %h : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %m that nothing has written.}}
    %d = gpu.memcpy async [%c] %o, %w : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<512xi8>
    gpu.wait [%z]
    return
  }
}
// -----
module {
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %at = arith.constant 256 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<512xi8>
    %v = memref.view %m[%c0][] : memref<512xi8> to memref<64xf32>
    %w = memref.view %m[%at][] : memref<512xi8> to memref<64xf32>
    %c = gpu.memcpy async [%a] %w, %h : memref<64xf32>, memref<64xf32>
    %d = gpu.memcpy async [%c] %o, %w : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<512xi8>
    gpu.wait [%z]
    return
  }
}
