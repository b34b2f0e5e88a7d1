// A task ends, and its stack with it, while the copy from there may still be running.
module {
  func.func @task(%dev: memref<256xf32>) {
    %v = arith.constant 9.0 : f32
    %s0 = gpu.wait async
    %tok, %val = async.execute -> !async.value<f32> {
      %buf = memref.alloca() : memref<256xf32>
      linalg.fill ins(%v : f32) outs(%buf : memref<256xf32>)
      %s1 = gpu.memcpy async [%s0] %dev, %buf : memref<256xf32>, memref<256xf32>
      // expected-warning @+1 {{GA302: The lifetime of %buf ends here while the gpu.memcpy that reads it may still be running.}}
      async.yield %v : f32
    }
    async.await %tok : !async.token
    gpu.wait [%s0]
    return
  }
}
// -----
module {
  func.func @task(%dev: memref<256xf32>) {
    %v = arith.constant 9.0 : f32
    %s0 = gpu.wait async
    %tok, %val = async.execute -> !async.value<f32> {
      %buf = memref.alloca() : memref<256xf32>
      linalg.fill ins(%v : f32) outs(%buf : memref<256xf32>)
      %s1 = gpu.memcpy async [%s0] %dev, %buf : memref<256xf32>, memref<256xf32>
      gpu.wait [%s1]
      async.yield %v : f32
    }
    async.await %tok : !async.token
    return
  }
}
