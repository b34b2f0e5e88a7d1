// The wait is in a branch of an execute_region.
module {
  func.func @main(%x: memref<64xf32>, %h: memref<64xf32>, %p: i1) -> f32 {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %c if %p is false: its stream leaks there, and nothing waits for its work.}}
    %c = gpu.memcpy async [%t] %h, %x : memref<64xf32>, memref<64xf32>
    scf.execute_region {
      cf.cond_br %p, ^a, ^b
    ^a:
      gpu.wait [%c]
      scf.yield
    ^b:
      scf.yield
    }
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running if %p is false.}}
    %v = memref.load %h[%c0] : memref<64xf32>
    return %v : f32
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %h: memref<64xf32>, %p: i1) -> f32 {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %h, %x : memref<64xf32>, memref<64xf32>
    scf.execute_region {
      cf.cond_br %p, ^a, ^b
    ^a:
      gpu.wait [%c]
      scf.yield
    ^b:
      gpu.wait [%c]
      scf.yield
    }
    %v = memref.load %h[%c0] : memref<64xf32>
    return %v : f32
  }
}
