// Index switch stream.
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
  func.func @main(%i: index, %m: memref<512xi32>, %n: index) {
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %u = gpu.wait async
    %k0 = gpu.launch_func async [%s] @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    %x = scf.index_switch %i -> !gpu.async.token
    case 3 {
      scf.yield %u : !gpu.async.token
    }
    default {
      scf.yield %k0 : !gpu.async.token
    }
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %m while the earlier gpu.launch_func, which may read and write it, may still be running if %i is 3.}}
    %k1 = gpu.launch_func async [%x] @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    gpu.wait [%s, %u]
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
  func.func @main(%i: index, %m: memref<512xi32>, %n: index) {
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %u = gpu.wait async
    %k0 = gpu.launch_func async [%s] @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    %x = scf.index_switch %i -> !gpu.async.token
    case 3 {
      scf.yield %k0 : !gpu.async.token
    }
    default {
      scf.yield %k0 : !gpu.async.token
    }
    %k1 = gpu.launch_func async [%x] @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    gpu.wait [%s, %u]
    return
  }
}
