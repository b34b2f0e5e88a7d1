// A callee returns its buffers in another order; one that may be freed is read.
module {
  func.func private @swap(%c: i1, %a: memref<64xf32>, %b: memref<64xf32>) -> (memref<64xf32>, memref<64xf32>) {
    %r:2 = scf.if %c -> (memref<64xf32>, memref<64xf32>) {
      scf.yield %a, %b : memref<64xf32>, memref<64xf32>
    } else {
      scf.yield %b, %a : memref<64xf32>, memref<64xf32>
    }
    return %r#0, %r#1 : memref<64xf32>, memref<64xf32>
  }
  func.func @main(%c: i1, %h: memref<64xf32>) {
    %s = gpu.wait async
    %m, %t = gpu.alloc async [%s] () : memref<64xf32>
    %k, %t1 = gpu.alloc async [%t] () : memref<64xf32>
    %u = gpu.memcpy async [%t1] %m, %h : memref<64xf32>, memref<64xf32>
    %w = gpu.memcpy async [%u] %k, %h : memref<64xf32>, memref<64xf32>
    %p:2 = func.call @swap(%c, %m, %k) : (i1, memref<64xf32>, memref<64xf32>) -> (memref<64xf32>, memref<64xf32>)
    %d = gpu.dealloc async [%w] %p#0 : memref<64xf32>
    // expected-error @+1 {{GA303: This gpu.memcpy uses %m after it was freed if %p#0 is %m and %p#1 is %k.}}
    %v = gpu.memcpy async [%d] %h, %m : memref<64xf32>, memref<64xf32>
    %e = gpu.dealloc async [%v] %p#1 : memref<64xf32>
    gpu.wait [%e]
    return
  }
}
// -----
module {
  func.func private @swap(%c: i1, %a: memref<64xf32>, %b: memref<64xf32>) -> (memref<64xf32>, memref<64xf32>) {
    %r:2 = scf.if %c -> (memref<64xf32>, memref<64xf32>) {
      scf.yield %a, %b : memref<64xf32>, memref<64xf32>
    } else {
      scf.yield %b, %a : memref<64xf32>, memref<64xf32>
    }
    return %r#0, %r#1 : memref<64xf32>, memref<64xf32>
  }
  func.func @main(%c: i1, %h: memref<64xf32>) {
    %s = gpu.wait async
    %m, %t = gpu.alloc async [%s] () : memref<64xf32>
    %k, %t1 = gpu.alloc async [%t] () : memref<64xf32>
    %u = gpu.memcpy async [%t1] %m, %h : memref<64xf32>, memref<64xf32>
    %w = gpu.memcpy async [%u] %k, %h : memref<64xf32>, memref<64xf32>
    %p:2 = func.call @swap(%c, %m, %k) : (i1, memref<64xf32>, memref<64xf32>) -> (memref<64xf32>, memref<64xf32>)
    %d = gpu.dealloc async [%w] %p#0 : memref<64xf32>
    %v = gpu.memcpy async [%d] %h, %p#1 : memref<64xf32>, memref<64xf32>
    %e = gpu.dealloc async [%v] %p#1 : memref<64xf32>
    gpu.wait [%e]
    return
  }
}
