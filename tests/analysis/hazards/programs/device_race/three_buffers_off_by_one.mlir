// Three buffers off by one.
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @vec(%a: memref<512xi32>, %b: memref<512xi32>) kernel {
      %i = gpu.global_id x
      %c4 = arith.constant 4 : index
      %o = arith.muli %i, %c4 : index
      %z = arith.constant 0 : i32
      %v = vector.transfer_read %a[%o], %z {in_bounds = [true]} : memref<512xi32>, vector<4xi32>
      vector.transfer_write %v, %b[%o] {in_bounds = [true]} : vector<4xi32>, memref<512xi32>
      gpu.return
    }
  }
  func.func @main(%a: memref<512xi32>, %b: memref<512xi32>, %c: memref<512xi32>, %h: memref<512xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %z = %c) -> (memref<512xi32>, memref<512xi32>, memref<512xi32>) {
      %s = gpu.wait async
      %u = gpu.memcpy async [%s] %x, %h : memref<512xi32>, memref<512xi32>
      // expected-warning @+1 {{GA301: This gpu.launch_func reads %z while the gpu.memcpy that writes it may still be running.}}
      %k = gpu.launch_func async @km::@vec blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%z : memref<512xi32>, %x : memref<512xi32>)
      gpu.wait [%u, %k]
      scf.yield %y, %z, %x : memref<512xi32>, memref<512xi32>, memref<512xi32>
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @vec(%a: memref<512xi32>, %b: memref<512xi32>) kernel {
      %i = gpu.global_id x
      %c4 = arith.constant 4 : index
      %o = arith.muli %i, %c4 : index
      %z = arith.constant 0 : i32
      %v = vector.transfer_read %a[%o], %z {in_bounds = [true]} : memref<512xi32>, vector<4xi32>
      vector.transfer_write %v, %b[%o] {in_bounds = [true]} : vector<4xi32>, memref<512xi32>
      gpu.return
    }
  }
  func.func @main(%a: memref<512xi32>, %b: memref<512xi32>, %c: memref<512xi32>, %h: memref<512xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %z = %c) -> (memref<512xi32>, memref<512xi32>, memref<512xi32>) {
      %s = gpu.wait async
      %u = gpu.memcpy async [%s] %x, %h : memref<512xi32>, memref<512xi32>
      %k = gpu.launch_func async @km::@vec blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%z : memref<512xi32>, %y : memref<512xi32>)
      gpu.wait [%u, %k]
      scf.yield %y, %z, %x : memref<512xi32>, memref<512xi32>, memref<512xi32>
    }
    return
  }
}
