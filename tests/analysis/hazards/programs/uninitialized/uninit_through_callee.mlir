// Uninit through callee.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @blur(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %v = memref.load %in[%i] : memref<?xf64>
      memref.store %v, %out[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func private @use(%s: !gpu.async.token, %m: memref<?xf64>, %o: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%s] @kern::@blur blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>, %o : memref<?xf64>)
    return
  }
  func.func @main(%o: memref<?xf64>, %h: memref<?xf64>, %n: index) {
    %s = gpu.wait async
    %a, %t0 = gpu.alloc async [%s] (%n) : memref<?xf64>
    // expected-warning @+1 {{GA305: This func.call reads %a, which nothing has written.}}
    call @use(%s, %a, %o, %n) : (!gpu.async.token, memref<?xf64>, memref<?xf64>, index) -> ()
    %e = gpu.dealloc async [%s] %a : memref<?xf64>
    gpu.wait [%e]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @blur(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %v = memref.load %in[%i] : memref<?xf64>
      memref.store %v, %out[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func private @use(%s: !gpu.async.token, %m: memref<?xf64>, %o: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%s] @kern::@blur blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>, %o : memref<?xf64>)
    return
  }
  func.func @main(%o: memref<?xf64>, %h: memref<?xf64>, %n: index) {
    %s = gpu.wait async
    %a, %t0 = gpu.alloc async [%s] (%n) : memref<?xf64>
    %u = gpu.memcpy async [%t0] %a, %h : memref<?xf64>, memref<?xf64>
    call @use(%s, %a, %o, %n) : (!gpu.async.token, memref<?xf64>, memref<?xf64>, index) -> ()
    %e = gpu.dealloc async [%s] %a : memref<?xf64>
    gpu.wait [%e]
    return
  }
}
