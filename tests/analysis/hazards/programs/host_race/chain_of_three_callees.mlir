// Chain of three callees.
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
  func.func private @l1(%s: !gpu.async.token, %m: memref<512xi32>, %n: index) {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%s] @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    return
  }
  func.func private @l2(%s: !gpu.async.token, %m: memref<512xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      func.call @l1(%s, %m, %n) : (!gpu.async.token, memref<512xi32>, index) -> ()
    }
    return
  }
  func.func private @peek(%m: memref<512xi32>) -> i32 {
    %c1 = arith.constant 1 : index
    %v = memref.load %m[%c1] : memref<512xi32>
    return %v : i32
  }
  func.func @main(%m: memref<512xi32>, %n: index) -> i32 {
    %s = gpu.wait async
    call @l2(%s, %m, %n) : (!gpu.async.token, memref<512xi32>, index) -> ()
    // expected-warning @+1 {{GA302: The host reads %m while work of @l2, which may read and write it, may still be running.}}
    %v = call @peek(%m) : (memref<512xi32>) -> i32
    gpu.wait [%s]
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
  func.func private @l1(%s: !gpu.async.token, %m: memref<512xi32>, %n: index) {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%s] @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
    return
  }
  func.func private @l2(%s: !gpu.async.token, %m: memref<512xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      func.call @l1(%s, %m, %n) : (!gpu.async.token, memref<512xi32>, index) -> ()
    }
    return
  }
  func.func private @peek(%m: memref<512xi32>) -> i32 {
    %c1 = arith.constant 1 : index
    %v = memref.load %m[%c1] : memref<512xi32>
    return %v : i32
  }
  func.func @main(%m: memref<512xi32>, %n: index) -> i32 {
    %s = gpu.wait async
    call @l2(%s, %m, %n) : (!gpu.async.token, memref<512xi32>, index) -> ()
    gpu.wait [%s]
    %v = call @peek(%m) : (memref<512xi32>) -> i32
    return %v : i32
  }
}
