//// ADD

module attributes {gpu.container_module} {
  func.func @main(%x: memref<4xf32>, %y: memref<?xf32>, %n: f32) -> i32 {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %seven = arith.constant 7 : i32
    gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xf32>, %y : memref<?xf32>, %n : f32)
    return %seven : i32
  }
  gpu.module @k {
    gpu.func @add(%x: memref<4xf32>, %y: memref<?xf32>, %n: f32) kernel {
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<4xf32>
      %s = arith.addf %v, %n : f32
      memref.store %s, %y[INDEX] : memref<?xf32>
      gpu.return
    }
  }
}
//// LAUNCH

func.func @main(%x: memref<4xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %j = arith.addi %tx, %i : index
    memref.store %f, %x[%j] : memref<4xf32>
    gpu.terminator
  }
  return
}
//// AUTHORED

#loc = loc("dsl.py":15:3)
func.func @copy(%n: index, %input: memref<?xf32>) {
  %s = gpu.wait async
  %a, %at = gpu.alloc async [%s] (%n) : memref<?xf32>
  %f = gpu.memcpy async [%at] %a, %input : memref<?xf32>, memref<?xf32>
  %b, %bt = gpu.alloc async [%s] (%n) : memref<?xf32>
  %c = gpu.memcpy async [%f, %bt] %b, %a : memref<?xf32>, memref<?xf32> loc(callsite(#loc at "user.py":9:5))
  %d = gpu.dealloc async [%c] %a : memref<?xf32>
  %e = gpu.dealloc async [%d] %b : memref<?xf32>
  gpu.wait [%e]
  return
}
