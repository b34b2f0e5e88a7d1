// A callee's callee leaves its work running, on one path more of it.
module attributes {gpu.container_module} {
  func.func private @fetch(%c: i1, %d: memref<256xf32>, %h: memref<256xf32>) {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
    scf.if %c {
      // expected-warning @+1 {{GA401: No blocking gpu.wait ever waits for %b: its stream leaks, and nothing waits for its work.}}
      %b = gpu.memcpy async [%a] %d, %h : memref<256xf32>, memref<256xf32>
    }
    return
  }
  func.func private @fetch_all(%c: i1, %d: memref<256xf32>, %h: memref<256xf32>) {
    func.call @fetch(%c, %d, %h) : (i1, memref<256xf32>, memref<256xf32>) -> ()
    return
  }
  func.func @main(%c: i1, %d: memref<256xf32>, %h: memref<256xf32>, %o: memref<256xf32>) {
    func.call @fetch_all(%c, %d, %h) : (i1, memref<256xf32>, memref<256xf32>) -> ()
    // expected-warning @+1 {{GA302: The host reads %h while work of @fetch_all that writes it may still be running.}}
    memref.copy %h, %o : memref<256xf32> to memref<256xf32>
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @fetch(%c: i1, %d: memref<256xf32>, %h: memref<256xf32>) {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
    gpu.wait [%a]
    return
  }
  func.func private @fetch_all(%c: i1, %d: memref<256xf32>, %h: memref<256xf32>) {
    func.call @fetch(%c, %d, %h) : (i1, memref<256xf32>, memref<256xf32>) -> ()
    return
  }
  func.func @main(%c: i1, %d: memref<256xf32>, %h: memref<256xf32>, %o: memref<256xf32>) {
    func.call @fetch_all(%c, %d, %h) : (i1, memref<256xf32>, memref<256xf32>) -> ()
    memref.copy %h, %o : memref<256xf32> to memref<256xf32>
    return
  }
}
