// The callee makes two streams and waits for one.
module {
  func.func private @both(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) {
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.memcpy async [%t0] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA401: No blocking gpu.wait ever waits for %b: its stream leaks, and nothing waits for its work.}}
    %b = gpu.memcpy async [%t1] %e, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    return
  }
  func.func @main(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    call @both(%d, %e, %s) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
    // expected-warning @+1 {{GA302: The host reads %e while work of @both that writes it may still be running.}}
    %x = memref.load %e[%c0] : memref<64xf32>
    return %x : f32
  }
}
// -----
module {
  func.func private @both(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) {
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.memcpy async [%t0] %d, %s : memref<64xf32>, memref<64xf32>
    %b = gpu.memcpy async [%t1] %e, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%a, %b]
    return
  }
  func.func @main(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    call @both(%d, %e, %s) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
    %x = memref.load %e[%c0] : memref<64xf32>
    return %x : f32
  }
}
