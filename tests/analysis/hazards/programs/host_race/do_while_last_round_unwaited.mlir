// Do while last round unwaited.
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
  func.func @main(%m: memref<512xi32>, %h: memref<512xi32>, %n: i32) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %r = scf.while (%x = %n) : (i32) -> i32 {
      %k = gpu.launch_func async [%s] @km::@inc blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
      %c = gpu.memcpy async [%k] %h, %m : memref<512xi32>, memref<512xi32>
      %z = arith.constant 0 : i32
      // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
      %y = memref.load %h[%c0] : memref<512xi32>
      %go = arith.cmpi sgt, %y, %z : i32
      scf.condition(%go) %y : i32
    } do {
    ^bb0(%y: i32):
      scf.yield %y : i32
    }
    gpu.wait [%s]
    return %r : i32
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
  func.func @main(%m: memref<512xi32>, %h: memref<512xi32>, %n: i32) -> i32 {
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %r = scf.while (%x = %n) : (i32) -> i32 {
      %k = gpu.launch_func async [%s] @km::@inc blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>)
      %c = gpu.memcpy async [%k] %h, %m : memref<512xi32>, memref<512xi32>
      %z = arith.constant 0 : i32
      %y = arith.subi %x, %n : i32
      %go = arith.cmpi sgt, %y, %z : i32
      scf.condition(%go) %y : i32
    } do {
    ^bb0(%y: i32):
      scf.yield %y : i32
    }
    gpu.wait [%s]
    return %r : i32
  }
}
