// Wait in zero trip loop.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<512xi32>, %h: memref<512xi32>, %n: index) -> i32 {
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %c if %run is false: its stream leaks there, and nothing waits for its work.}}
    %c = gpu.memcpy async [%s] %h, %d : memref<512xi32>, memref<512xi32>
    %run = arith.cmpi eq, %n, %c1 : index
    scf.if %run {
      gpu.wait [%c]
    }
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running if %run is false.}}
    %x = memref.load %h[%c1] : memref<512xi32>
    return %x : i32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<512xi32>, %h: memref<512xi32>, %n: index) -> i32 {
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %c = gpu.memcpy async [%s] %h, %d : memref<512xi32>, memref<512xi32>
    %run = arith.cmpi eq, %n, %c1 : index
    gpu.wait [%c]
    %x = memref.load %h[%c1] : memref<512xi32>
    return %x : i32
  }
}
