// The host writes element 63 while the copy reads bytes 128 to 255 by a view.
module {
  func.func @main(%d: memref<32xf32>, %arena: memref<256xi8>) {
    %off = arith.constant 128 : index
    %v = memref.view %arena[%off][] : memref<256xi8> to memref<32xf32>
    %b = arith.constant 7 : i8
    %at = arith.constant 255 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %v : memref<32xf32>, memref<32xf32>
    // expected-warning @+1 {{GA302: The host writes %arena while the gpu.memcpy that reads it may still be running.}}
    memref.store %b, %arena[%at] : memref<256xi8>
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%d: memref<32xf32>, %arena: memref<256xi8>) {
    %off = arith.constant 128 : index
    %v = memref.view %arena[%off][] : memref<256xi8> to memref<32xf32>
    %b = arith.constant 7 : i8
    %at = arith.constant 127 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %v : memref<32xf32>, memref<32xf32>
    memref.store %b, %arena[%at] : memref<256xi8>
    gpu.wait [%c]
    return
  }
}
