// A task leaves its stream.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) {
    %t = async.execute {
      %s = gpu.wait async
      // expected-warning @+1 {{GA401: No blocking gpu.wait ever waits for %a: its stream leaks, and nothing waits for its work.}}
      %a = gpu.memcpy async [%s] %d, %h : memref<256xf32>, memref<256xf32>
      async.yield
    }
    async.await %t : !async.token
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) {
    %t = async.execute {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %d, %h : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
      async.yield
    }
    async.await %t : !async.token
    return
  }
}
