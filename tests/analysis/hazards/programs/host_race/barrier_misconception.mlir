// Barrier misconception.
module attributes {gpu.container_module} {
  gpu.module @km {
    func.func private @put(%m: memref<512xi32>, %i: index, %v: i32) {
      memref.store %v, %m[%i] : memref<512xi32>
      return
    }
    gpu.func @viahelper(%m: memref<512xi32>, %v: i32) kernel {
      %i = gpu.global_id x
      func.call @put(%m, %i, %v) : (memref<512xi32>, index, i32) -> ()
      gpu.return
    }
  }
  func.func @main(%m: memref<512xi32>, %n: index, %x: i32) -> i32 {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async @km::@viahelper blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>, %x : i32)
    %all = gpu.wait async
    gpu.wait [%all]
    // expected-warning @+1 {{GA302: The host reads %m while the gpu.launch_func that writes it may still be running.}}
    %v = memref.load %m[%c1] : memref<512xi32>
    gpu.wait [%k]
    return %v : i32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @km {
    func.func private @put(%m: memref<512xi32>, %i: index, %v: i32) {
      memref.store %v, %m[%i] : memref<512xi32>
      return
    }
    gpu.func @viahelper(%m: memref<512xi32>, %v: i32) kernel {
      %i = gpu.global_id x
      func.call @put(%m, %i, %v) : (memref<512xi32>, index, i32) -> ()
      gpu.return
    }
  }
  func.func @main(%m: memref<512xi32>, %n: index, %x: i32) -> i32 {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async @km::@viahelper blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<512xi32>, %x : i32)
    gpu.wait [%k]
    %v = memref.load %m[%c1] : memref<512xi32>
    return %v : i32
  }
}
