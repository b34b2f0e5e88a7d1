// Each round makes a stream, the last is waited for.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %end = arith.subi %n, %c1 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = gpu.wait async
      // expected-warning @+2 {{GA301: This gpu.launch_func writes %y while the same op of an earlier iteration may still be running if %last is false.}}
      // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %a if the loop repeats and %last is false: its stream leaks there, and nothing waits for its work.}}
      %a = gpu.launch_func async [%s] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>)
      %last = arith.cmpi eq, %i, %end : index
      scf.if %last {
        gpu.wait [%a]
      }
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %end = arith.subi %n, %c1 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = gpu.wait async
      %a = gpu.launch_func async [%s] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>)
      gpu.wait [%a]
    }
    return
  }
}
