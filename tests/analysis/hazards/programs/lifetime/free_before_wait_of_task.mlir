// A buffer is freed while a task still copies from it.
module {
  func.func @main(%h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %i = gpu.memset async [%a] %m, %f : memref<64xf32>, f32
    gpu.wait [%i]
    %done = async.execute {
      %s = gpu.wait async
      %c = gpu.memcpy async [%s] %h, %m : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    %s = gpu.wait async
    // expected-error @+1 {{GA303: %m is freed here while the gpu.memcpy that reads it may still be running.}}
    %z = gpu.dealloc async [%s] %m : memref<64xf32>
    gpu.wait [%z]
    async.await %done : !async.token
    return
  }
}
// -----
module {
  func.func @main(%h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %i = gpu.memset async [%a] %m, %f : memref<64xf32>, f32
    gpu.wait [%i]
    %done = async.execute {
      %s = gpu.wait async
      %c = gpu.memcpy async [%s] %h, %m : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    async.await %done : !async.token
    %s = gpu.wait async
    %z = gpu.dealloc async [%s] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
