// Switch streams.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @set(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func @main(%k: index, %m: memref<?xf64>, %h: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t = scf.index_switch %k -> !gpu.async.token
    case 3 {
      %x = gpu.launch_func async [%s0] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
      scf.yield %x : !gpu.async.token
    }
    default {
      %x = gpu.launch_func async [%s1] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
      scf.yield %x : !gpu.async.token
    }
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %m while the gpu.launch_func that writes it may still be running if %k is 3.}}
    %y = gpu.memcpy async [%s1] %h, %m : memref<?xf64>, memref<?xf64>
    gpu.wait [%s0, %s1]
    return
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
  func.func @main(%k: index, %m: memref<?xf64>, %h: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t = scf.index_switch %k -> !gpu.async.token
    case 3 {
      %x = gpu.launch_func async [%s0] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
      scf.yield %x : !gpu.async.token
    }
    default {
      %x = gpu.launch_func async [%s1] @kern::@set blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
      scf.yield %x : !gpu.async.token
    }
    %y = gpu.memcpy async [%t] %h, %m : memref<?xf64>, memref<?xf64>
    gpu.wait [%s0, %s1]
    return
  }
}
