// Read other half uninit.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<64xi32>, %o: memref<64xi32>) {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %s = gpu.wait async
    %pool, %t = gpu.alloc async [%s] () : memref<512xi8>
    %a = memref.view %pool[%c0][] : memref<512xi8> to memref<64xi32>
    %b = memref.view %pool[%c256][] : memref<512xi8> to memref<64xi32>
    %u = gpu.memcpy async [%t] %a, %h : memref<64xi32>, memref<64xi32>
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %pool that nothing has written.}}
    %v = gpu.memcpy async [%u] %o, %b : memref<64xi32>, memref<64xi32>
    %d = gpu.dealloc async [%v] %pool : memref<512xi8>
    gpu.wait [%d]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<64xi32>, %o: memref<64xi32>) {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %s = gpu.wait async
    %pool, %t = gpu.alloc async [%s] () : memref<512xi8>
    %a = memref.view %pool[%c0][] : memref<512xi8> to memref<64xi32>
    %b = memref.view %pool[%c256][] : memref<512xi8> to memref<64xi32>
    %u = gpu.memcpy async [%t] %a, %h : memref<64xi32>, memref<64xi32>
    %v = gpu.memcpy async [%u] %o, %a : memref<64xi32>, memref<64xi32>
    %d = gpu.dealloc async [%v] %pool : memref<512xi8>
    gpu.wait [%d]
    return
  }
}
