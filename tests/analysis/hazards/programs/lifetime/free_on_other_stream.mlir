// Free on other stream.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @blur(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %v = memref.load %in[%i] : memref<?xf64>
      memref.store %v, %out[%i] : memref<?xf64>
      gpu.return
    }
    gpu.func @set(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func @main(%n: index, %o: memref<?xf64>) {
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %d, %t0 = gpu.alloc async [%s] (%n) : memref<?xf64>
    %k0 = gpu.launch_func async [%t0] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<?xf64>)
    %k = gpu.launch_func async [%k0] @kern::@blur blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<?xf64>, %o : memref<?xf64>)
    %t = gpu.wait async [%k0]
    // expected-error @+1 {{GA303: %d is freed here while the gpu.launch_func that reads it may still be running.}}
    %e = gpu.dealloc async [%t] %d : memref<?xf64>
    gpu.wait [%e]
    gpu.wait [%k]
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
    gpu.func @set(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func @main(%n: index, %o: memref<?xf64>) {
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %d, %t0 = gpu.alloc async [%s] (%n) : memref<?xf64>
    %k0 = gpu.launch_func async [%t0] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<?xf64>)
    %k = gpu.launch_func async [%k0] @kern::@blur blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<?xf64>, %o : memref<?xf64>)
    %t = gpu.wait async [%k]
    %e = gpu.dealloc async [%t] %d : memref<?xf64>
    gpu.wait [%e]
    gpu.wait [%k]
    return
  }
}
