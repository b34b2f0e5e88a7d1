// A callee leaves its download running.
module attributes {gpu.container_module} {
  func.func private @start(%d: memref<256xf32>, %h: memref<256xf32>) {
    %s = gpu.wait async
    // expected-warning @+1 {{GA401: No blocking gpu.wait ever waits for %a: its stream leaks, and nothing waits for its work.}}
    %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
    return
  }
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %i = arith.constant 5 : index
    func.call @start(%d, %h) : (memref<256xf32>, memref<256xf32>) -> ()
    // expected-warning @+1 {{GA302: The host reads %h while work of @start that writes it may still be running.}}
    %v = memref.load %h[%i] : memref<256xf32>
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @start(%d: memref<256xf32>, %h: memref<256xf32>) {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
    gpu.wait [%a]
    return
  }
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %i = arith.constant 5 : index
    func.call @start(%d, %h) : (memref<256xf32>, memref<256xf32>) -> ()
    %v = memref.load %h[%i] : memref<256xf32>
    return %v : f32
  }
}
