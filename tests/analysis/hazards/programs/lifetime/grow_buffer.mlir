// Grow buffer.
module attributes {gpu.container_module} {
  func.func @main(%n: index, %o: memref<512xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0 : i32
    %s = gpu.wait async
    %first, %t = gpu.alloc async [%s] () : memref<512xi32>
    %i = gpu.memset async [%t] %first, %z : memref<512xi32>, i32
    gpu.wait [%i]
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<512xi32>) {
      %u = gpu.wait async
      %new, %ta = gpu.alloc async [%u] () : memref<512xi32>
      %c = gpu.memcpy async [%ta] %new, %old : memref<512xi32>, memref<512xi32>
      %w = gpu.wait async
      // expected-error @+1 {{GA303: %old is freed here while the gpu.memcpy that reads it may still be running.}}
      %d = gpu.dealloc async [%w] %old : memref<512xi32>
      gpu.wait [%c, %d]
      scf.yield %new : memref<512xi32>
    }
    %e = gpu.wait async
    %cp = gpu.memcpy async [%e] %o, %last : memref<512xi32>, memref<512xi32>
    %f = gpu.dealloc async [%cp] %last : memref<512xi32>
    gpu.wait [%f]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%n: index, %o: memref<512xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0 : i32
    %s = gpu.wait async
    %first, %t = gpu.alloc async [%s] () : memref<512xi32>
    %i = gpu.memset async [%t] %first, %z : memref<512xi32>, i32
    gpu.wait [%i]
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<512xi32>) {
      %u = gpu.wait async
      %new, %ta = gpu.alloc async [%u] () : memref<512xi32>
      %c = gpu.memcpy async [%ta] %new, %old : memref<512xi32>, memref<512xi32>
      %d = gpu.dealloc async [%c] %old : memref<512xi32>
      gpu.wait [%d]
      scf.yield %new : memref<512xi32>
    }
    %e = gpu.wait async
    %cp = gpu.memcpy async [%e] %o, %last : memref<512xi32>, memref<512xi32>
    %f = gpu.dealloc async [%cp] %last : memref<512xi32>
    gpu.wait [%f]
    return
  }
}
