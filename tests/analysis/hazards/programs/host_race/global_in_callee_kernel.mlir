// Global in callee kernel.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @set(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  memref.global "private" @buf : memref<16xf64> = uninitialized
  func.func private @fire(%s: !gpu.async.token) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %g = memref.get_global @buf : memref<16xf64>
    %d = memref.cast %g : memref<16xf64> to memref<?xf64>
    %k = gpu.launch_func async [%s] @kern::@set blocks in (%c16, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<?xf64>)
    return
  }
  func.func @main() -> f64 {
    %c1 = arith.constant 1 : index
    %g = memref.get_global @buf : memref<16xf64>
    %u = memref.cast %g : memref<16xf64> to memref<*xf64>
    gpu.host_register %u : memref<*xf64>
    %s = gpu.wait async
    call @fire(%s) : (!gpu.async.token) -> ()
    // expected-warning @+1 {{GA302: The host reads %g while work of @fire that writes it may still be running.}}
    %x = memref.load %g[%c1] : memref<16xf64>
    gpu.wait [%s]
    return %x : f64
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
  memref.global "private" @buf : memref<16xf64> = uninitialized
  func.func private @fire(%s: !gpu.async.token) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %g = memref.get_global @buf : memref<16xf64>
    %d = memref.cast %g : memref<16xf64> to memref<?xf64>
    %k = gpu.launch_func async [%s] @kern::@set blocks in (%c16, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<?xf64>)
    return
  }
  func.func @main() -> f64 {
    %c1 = arith.constant 1 : index
    %g = memref.get_global @buf : memref<16xf64>
    %u = memref.cast %g : memref<16xf64> to memref<*xf64>
    gpu.host_register %u : memref<*xf64>
    %s = gpu.wait async
    call @fire(%s) : (!gpu.async.token) -> ()
    gpu.wait [%s]
    %x = memref.load %g[%c1] : memref<16xf64>
    return %x : f64
  }
}
