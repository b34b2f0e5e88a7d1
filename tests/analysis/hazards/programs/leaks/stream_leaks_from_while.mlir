// Stream leaks from while.
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
  func.func @main(%m: memref<512xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      // expected-warning @+2 {{GA301: This gpu.launch_func may read and write %m while the same op of an earlier iteration may still be running if %go is true and %even is false.}}
      // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %k if %even is false and %go is first true and then false: its stream leaks there, and nothing waits for its work.}}
      %k = gpu.launch_func async @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
      %par = arith.andi %i, %c1 : index
      %even = arith.cmpi eq, %par, %c0 : index
      scf.if %even {
        gpu.wait [%k]
      }
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
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
  func.func @main(%m: memref<512xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      %k = gpu.launch_func async @km::@inc blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
      %par = arith.andi %i, %c1 : index
      %even = arith.cmpi eq, %par, %c0 : index
      gpu.wait [%k]
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
    return
  }
}
