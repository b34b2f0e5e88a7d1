// A loop joins an event of outside in every round.
module attributes {gpu.container_module} {
  func.func @main(%x: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %h : memref<256xf32>, memref<256xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      // expected-error @+1 {{GA206: The event for %a is recorded once, where %a is defined, and destroyed here again in a later iteration.}}
      %j = gpu.wait async [%a]
      %b = gpu.memcpy async [%j] %h, %x : memref<256xf32>, memref<256xf32>
      gpu.wait [%b]
    }
    gpu.wait [%a]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%x: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %h : memref<256xf32>, memref<256xf32>
    gpu.wait [%a]
    scf.for %i = %c0 to %c8 step %c1 {
      %j = gpu.wait async
      %b = gpu.memcpy async [%j] %h, %x : memref<256xf32>, memref<256xf32>
      gpu.wait [%b]
    }
    return
  }
}
