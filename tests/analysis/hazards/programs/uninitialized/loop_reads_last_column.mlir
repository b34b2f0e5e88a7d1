// Of four columns three are written; a loop in the next kernel reads all.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64x4xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.block_id x
      memref.store %v, %x[%i, %j] : memref<64x4xf32>
      gpu.return
    }
    gpu.func @sums(%x: memref<64x4xf32>, %y: memref<64xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %z = arith.constant 0.0 : f32
      %i = gpu.thread_id x
      %sum = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %z) -> (f32) {
        %v = memref.load %x[%i, %j] : memref<64x4xf32>
        %t = arith.addf %s, %v : f32
        scf.yield %t : f32
      }
      memref.store %sum, %y[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%y: memref<64xf32>, %v: f32) {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %x, %t = gpu.alloc async [%s] () : memref<64x4xf32>
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c3, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64x4xf32>, %v : f32)
    // expected-warning @+1 {{GA305: This gpu.launch_func reads a part of %x that nothing has written.}}
    %b = gpu.launch_func async [%a] @k::@sums blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64x4xf32>, %y : memref<64xf32>)
    %c = gpu.dealloc async [%b] %x : memref<64x4xf32>
    gpu.wait [%c]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64x4xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.block_id x
      memref.store %v, %x[%i, %j] : memref<64x4xf32>
      gpu.return
    }
    gpu.func @sums(%x: memref<64x4xf32>, %y: memref<64xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %z = arith.constant 0.0 : f32
      %i = gpu.thread_id x
      %sum = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %z) -> (f32) {
        %v = memref.load %x[%i, %j] : memref<64x4xf32>
        %t = arith.addf %s, %v : f32
        scf.yield %t : f32
      }
      memref.store %sum, %y[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%y: memref<64xf32>, %v: f32) {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %x, %t = gpu.alloc async [%s] () : memref<64x4xf32>
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64x4xf32>, %v : f32)
    %b = gpu.launch_func async [%a] @k::@sums blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64x4xf32>, %y : memref<64xf32>)
    %c = gpu.dealloc async [%b] %x : memref<64x4xf32>
    gpu.wait [%c]
    return
  }
}
