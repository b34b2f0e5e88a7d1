// Shared freed running.
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @inc(%m: memref<512xi32>) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1 : i32
      %v = memref.load %m[%i] : memref<512xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %m[%i] : memref<512xi32>
      gpu.return
    }
  }
  func.func @main(%n: index) {
    %c1 = arith.constant 1 : index
    %m = gpu.alloc host_shared () : memref<512xi32>
    %z = arith.constant 0 : i32
    linalg.fill ins(%z : i32) outs(%m : memref<512xi32>)
    %k = gpu.launch_func async @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    %s = gpu.wait async
    // expected-error @+1 {{GA303: %m is freed here while the gpu.launch_func, which may read and write it, may still be running.}}
    %d = gpu.dealloc async [%s] %m : memref<512xi32>
    gpu.wait [%d]
    gpu.wait [%k]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @inc(%m: memref<512xi32>) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1 : i32
      %v = memref.load %m[%i] : memref<512xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %m[%i] : memref<512xi32>
      gpu.return
    }
  }
  func.func @main(%n: index) {
    %c1 = arith.constant 1 : index
    %m = gpu.alloc host_shared () : memref<512xi32>
    %z = arith.constant 0 : i32
    linalg.fill ins(%z : i32) outs(%m : memref<512xi32>)
    %k = gpu.launch_func async @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    gpu.wait [%k]
    %s = gpu.wait async
    %d = gpu.dealloc async [%s] %m : memref<512xi32>
    gpu.wait [%d]
    return
  }
}
