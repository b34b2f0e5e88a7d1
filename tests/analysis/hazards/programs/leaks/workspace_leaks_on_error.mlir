// Workspace leaks on error.
module attributes {gpu.container_module} {
  func.func @main(%ok: i1, %h: memref<512xi32>) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = gpu.wait async
    // expected-warning @+1 {{GA403: %w does not escape, and is not freed if %ok is false: such a call leaks it.}}
    %w, %t = gpu.alloc async [%s] () : memref<512xi32>
    %u = gpu.memcpy async [%t] %w, %h : memref<512xi32>, memref<512xi32>
    cf.cond_br %ok, ^good, ^bad
  ^bad:
    gpu.wait [%u]
    return %c1 : i32
  ^good:
    %d = gpu.dealloc async [%u] %w : memref<512xi32>
    gpu.wait [%d]
    return %c0 : i32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%ok: i1, %h: memref<512xi32>) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = gpu.wait async
    %w, %t = gpu.alloc async [%s] () : memref<512xi32>
    %u = gpu.memcpy async [%t] %w, %h : memref<512xi32>, memref<512xi32>
    cf.cond_br %ok, ^good, ^bad
  ^bad:
    %d0 = gpu.dealloc async [%u] %w : memref<512xi32>
    gpu.wait [%u]
    return %c1 : i32
  ^good:
    %d = gpu.dealloc async [%u] %w : memref<512xi32>
    gpu.wait [%d]
    return %c0 : i32
  }
}
