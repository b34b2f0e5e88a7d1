// Work of a callee's callee on the stream that it was handed down.
module attributes {gpu.container_module} {

  func.func private @inner(%t: !gpu.async.token, %d: memref<256xf32>, %h: memref<256xf32>) {
    %r = gpu.memcpy async [%t] %d, %h : memref<256xf32>, memref<256xf32>
    return
  }
  func.func private @outer(%t: !gpu.async.token, %d: memref<256xf32>, %h: memref<256xf32>) {
    func.call @inner(%t, %d, %h) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    return
  }
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %c4 = arith.constant 4 : index

    %s = gpu.wait async
    func.call @outer(%s, %h, %d) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    // expected-warning @+1 {{GA302: The host reads %h while work of @outer that writes it may still be running.}}
    %v = memref.load %h[%c4] : memref<256xf32>
    gpu.wait [%s]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {

  func.func private @inner(%t: !gpu.async.token, %d: memref<256xf32>, %h: memref<256xf32>) {
    %r = gpu.memcpy async [%t] %d, %h : memref<256xf32>, memref<256xf32>
    return
  }
  func.func private @outer(%t: !gpu.async.token, %d: memref<256xf32>, %h: memref<256xf32>) {
    func.call @inner(%t, %d, %h) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    return
  }
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %c4 = arith.constant 4 : index

    %s = gpu.wait async
    func.call @outer(%s, %h, %d) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    gpu.wait [%s]
    %v = memref.load %h[%c4] : memref<256xf32>
    return %v : f32
  }
}
