// A helper writes another row, or element, in each round, on two streams in turn.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @put(%d: memref<64xf32>, %i: index, %v: f32) kernel {
      memref.store %v, %d[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @row(%d: memref<64xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %d[%i] : memref<64xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func private @put(%t: !gpu.async.token, %d: memref<64xf32>, %i: index, %v: f32) {
    %c1 = arith.constant 1 : index
    %k = gpu.launch_func async [%t] @k::@put blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64xf32>, %i : index, %v : f32)
    return
  }
  func.func private @row(%t: !gpu.async.token, %d: memref<64xf32, strided<[1], offset: ?>>, %v: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %k = gpu.launch_func async [%t] @k::@row blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32, strided<[1], offset: ?>>, %v : f32)
    return
  }
  func.func @main(%d: memref<64xf32>, %m: memref<64x64xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.wait async
    %b = gpu.wait async
    %r:2 = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %a, %u = %b) -> (!gpu.async.token, !gpu.async.token) {
      func.call @put(%t, %d, %i, %v) : (!gpu.async.token, memref<64xf32>, index, f32) -> ()
      %row = memref.subview %m[%i, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      func.call @row(%t, %row, %v) : (!gpu.async.token, memref<64xf32, strided<[1], offset: ?>>, f32) -> ()
      scf.yield %u, %t : !gpu.async.token, !gpu.async.token
    }
    gpu.wait [%a]
    gpu.wait [%b]
    return
  }
}
