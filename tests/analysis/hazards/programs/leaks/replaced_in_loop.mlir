// A loop replaces its buffer without freeing it.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %s = gpu.wait async
    // expected-warning @+1 {{GA403: %x does not escape, and is not freed on some path: such a call leaks it.}}
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%cur = %x) -> (memref<256xf32>) {
      // expected-warning @+1 {{GA403: %y does not escape, and is not freed if the loop repeats: such a call leaks it.}}
      %y, %t1 = gpu.alloc async [%s] () : memref<256xf32>
      %a = gpu.memcpy async [%s] %y, %h : memref<256xf32>, memref<256xf32>
      scf.yield %y : memref<256xf32>
    }
    %e = gpu.dealloc async [%s] %r : memref<256xf32>
    gpu.wait [%e]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%cur = %x) -> (memref<256xf32>) {
      %y, %t1 = gpu.alloc async [%s] () : memref<256xf32>
      %a = gpu.memcpy async [%s] %y, %h : memref<256xf32>, memref<256xf32>
      %d = gpu.dealloc async [%s] %cur : memref<256xf32>
      scf.yield %y : memref<256xf32>
    }
    %e = gpu.dealloc async [%s] %r : memref<256xf32>
    gpu.wait [%e]
    return
  }
}
