// A stream is joined in one branch only; nobody destroys it on the other.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %a if %p is true: its stream leaks there, and nothing waits for its work.}}
    %a = gpu.launch_func async [%t0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    scf.if %p {
      // expected-warning @+1 {{GA402: The event for %a is recorded where %a is defined, and destroyed only here: it leaks if %p is false.}}
      %j = gpu.wait async [%a]
      %c = gpu.memcpy async [%j] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
    } else {
      gpu.wait [%a]
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    scf.if %p {
      %c = gpu.memcpy async [%a] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
    } else {
      gpu.wait [%a]
    }
    return
  }
}
