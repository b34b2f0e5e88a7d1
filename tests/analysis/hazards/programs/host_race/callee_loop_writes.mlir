// Callee loop writes.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @blur(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %v = memref.load %in[%i] : memref<?xf64>
      memref.store %v, %out[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func private @iterate(%s: !gpu.async.token, %a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xf64>, memref<?xf64>) {
      %k = gpu.launch_func async [%s] @kern::@blur blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<?xf64>, %q : memref<?xf64>)
      scf.yield %q, %p : memref<?xf64>, memref<?xf64>
    }
    return
  }
  func.func @main(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) -> f64 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    call @iterate(%s, %a, %b, %n) : (!gpu.async.token, memref<?xf64>, memref<?xf64>, index) -> ()
    // expected-warning @+1 {{GA302: The host reads %b while work of @iterate that writes it may still be running.}}
    %x = memref.load %b[%c0] : memref<?xf64>
    gpu.wait [%s]
    return %x : f64
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
  func.func private @iterate(%s: !gpu.async.token, %a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xf64>, memref<?xf64>) {
      %k = gpu.launch_func async [%s] @kern::@blur blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<?xf64>, %q : memref<?xf64>)
      scf.yield %q, %p : memref<?xf64>, memref<?xf64>
    }
    return
  }
  func.func @main(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) -> f64 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    call @iterate(%s, %a, %b, %n) : (!gpu.async.token, memref<?xf64>, memref<?xf64>, index) -> ()
    gpu.wait [%s]
    %x = memref.load %b[%c0] : memref<?xf64>
    return %x : f64
  }
}
