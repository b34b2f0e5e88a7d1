// Affine if.
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
  func.func @main(%m: memref<512xi32>, %n: index) -> i32 {
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %k = gpu.launch_func async @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%n) {
      %z = arith.constant 7 : i32
      // expected-warning @+1 {{GA302: The host writes %m while the gpu.launch_func, which may read and write it, may still be running if %n is true.}}
      affine.store %z, %m[5] : memref<512xi32>
    }
    gpu.wait [%k]
    %v = memref.load %m[%c5] : memref<512xi32>
    return %v : i32
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
  func.func @main(%m: memref<512xi32>, %n: index) -> i32 {
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %k = gpu.launch_func async @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    gpu.wait [%k]
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%n) {
      %z = arith.constant 7 : i32
      affine.store %z, %m[5] : memref<512xi32>
    }
    %v = memref.load %m[%c5] : memref<512xi32>
    return %v : i32
  }
}
