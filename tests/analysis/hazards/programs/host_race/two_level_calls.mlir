// Two level calls.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @set(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func private @inner(%s: !gpu.async.token, %m: memref<?xf64>, %n: index) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%s] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
    return %k : !gpu.async.token
  }
  func.func private @outer(%s: !gpu.async.token, %m: memref<?xf64>, %n: index) -> !gpu.async.token {
    %t = call @inner(%s, %m, %n) : (!gpu.async.token, memref<?xf64>, index) -> !gpu.async.token
    return %t : !gpu.async.token
  }
  func.func @main(%m: memref<?xf64>, %n: index) -> f64 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    %t = call @outer(%s, %m, %n) : (!gpu.async.token, memref<?xf64>, index) -> !gpu.async.token
    // expected-warning @+1 {{GA302: The host reads %m while work of @outer that writes it may still be running.}}
    %x = memref.load %m[%c0] : memref<?xf64>
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
  func.func private @inner(%s: !gpu.async.token, %m: memref<?xf64>, %n: index) -> !gpu.async.token {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%s] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
    return %k : !gpu.async.token
  }
  func.func private @outer(%s: !gpu.async.token, %m: memref<?xf64>, %n: index) -> !gpu.async.token {
    %t = call @inner(%s, %m, %n) : (!gpu.async.token, memref<?xf64>, index) -> !gpu.async.token
    return %t : !gpu.async.token
  }
  func.func @main(%m: memref<?xf64>, %n: index) -> f64 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    %t = call @outer(%s, %m, %n) : (!gpu.async.token, memref<?xf64>, index) -> !gpu.async.token
    gpu.wait [%s]
    %x = memref.load %m[%c0] : memref<?xf64>
    return %x : f64
  }
}
