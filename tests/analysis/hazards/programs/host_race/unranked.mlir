// Unranked.
module attributes {gpu.container_module} {
  func.func private @printMemrefI32(memref<*xi32>)
  func.func @main(%h: memref<4xi32>, %d: memref<4xi32>) {
    %u = memref.cast %h : memref<4xi32> to memref<*xi32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<4xi32>, memref<4xi32>
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    call @printMemrefI32(%u) : (memref<*xi32>) -> ()
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @printMemrefI32(memref<*xi32>)
  func.func @main(%h: memref<4xi32>, %d: memref<4xi32>) {
    %u = memref.cast %h : memref<4xi32> to memref<*xi32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<4xi32>, memref<4xi32>
    gpu.wait [%t]
    call @printMemrefI32(%u) : (memref<*xi32>) -> ()
    return
  }
}
