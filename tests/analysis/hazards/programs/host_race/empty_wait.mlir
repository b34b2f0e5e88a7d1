// Empty wait.
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
  func.func @main(%m: memref<512xi32>, %o: memref<512xi32>, %n: index) -> i32 {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async @km::@vec blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>, %o : memref<512xi32>)
    // expected-warning @+1 {{GA210: This gpu.wait synchronizes nothing: without operands it is erased.}}
    gpu.wait
    // expected-warning @+1 {{GA302: The host reads %o while the gpu.launch_func that writes it may still be running.}}
    %v = memref.load %o[%c1] : memref<512xi32>
    gpu.wait [%k]
    return %v : i32
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
  func.func @main(%m: memref<512xi32>, %o: memref<512xi32>, %n: index) -> i32 {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async @km::@vec blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>, %o : memref<512xi32>)
    gpu.wait [%k]
    %v = memref.load %o[%c1] : memref<512xi32>
    return %v : i32
  }
}
