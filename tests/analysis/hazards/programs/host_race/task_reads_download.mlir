// A task of async.execute reads what a stream still writes.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %c1 = arith.constant 1 : index

    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
    %t, %v = async.execute -> !async.value<f32> {
      // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
      %w = memref.load %h[%c1] : memref<256xf32>
      async.yield %w : f32
    }
    %r = async.await %v : !async.value<f32>
    gpu.wait [%a]
    return %r : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %c1 = arith.constant 1 : index

    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
    gpu.wait [%a]
    %t, %v = async.execute -> !async.value<f32> {
      %w = memref.load %h[%c1] : memref<256xf32>
      async.yield %w : f32
    }
    %r = async.await %v : !async.value<f32>
    return %r : f32
  }
}
