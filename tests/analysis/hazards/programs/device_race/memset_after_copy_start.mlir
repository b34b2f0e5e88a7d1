// Memset after copy start.
module attributes {gpu.container_module} {
  func.func @main(%a: memref<8xi32>, %b: memref<8xi32>, %v: i32) {
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = "gpu.memcpy"(%s0, %b, %a) : (!gpu.async.token, memref<8xi32>, memref<8xi32>) -> !gpu.async.token
    // expected-warning @+1 {{GA301: This gpu.memset writes %a while the gpu.memcpy that reads it may still be running.}}
    %t1 = "gpu.memset"(%s1, %a, %v) : (!gpu.async.token, memref<8xi32>, i32) -> !gpu.async.token
    gpu.wait [%s0, %s1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%a: memref<8xi32>, %b: memref<8xi32>, %v: i32) {
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = "gpu.memcpy"(%s0, %b, %a) : (!gpu.async.token, memref<8xi32>, memref<8xi32>) -> !gpu.async.token
    %j = gpu.wait async [%t0]
    %t1 = "gpu.memset"(%j, %a, %v) : (!gpu.async.token, memref<8xi32>, i32) -> !gpu.async.token
    gpu.wait [%s0, %s1]
    gpu.wait [%j]
    return
  }
}
