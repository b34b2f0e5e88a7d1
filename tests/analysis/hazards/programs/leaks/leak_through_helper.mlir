// Leak through helper.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @set(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func private @use(%s: !gpu.async.token, %m: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%s] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
    return
  }
  func.func @main(%h: memref<?xf64>, %n: index) {
    %s = gpu.wait async
    // expected-warning @+1 {{GA403: %a is never freed and does not escape: each call leaks it.}}
    %a, %t0 = gpu.alloc async [%s] (%n) : memref<?xf64>
    call @use(%s, %a, %n) : (!gpu.async.token, memref<?xf64>, index) -> ()
    %u = gpu.memcpy async [%s] %h, %a : memref<?xf64>, memref<?xf64>
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @set(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func private @use(%s: !gpu.async.token, %m: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%s] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
    return
  }
  func.func @main(%h: memref<?xf64>, %n: index) {
    %s = gpu.wait async
    %a, %t0 = gpu.alloc async [%s] (%n) : memref<?xf64>
    call @use(%s, %a, %n) : (!gpu.async.token, memref<?xf64>, index) -> ()
    %u = gpu.memcpy async [%s] %h, %a : memref<?xf64>, memref<?xf64>
    %e = gpu.dealloc async [%s] %a : memref<?xf64>
    gpu.wait [%s]
    return
  }
}
