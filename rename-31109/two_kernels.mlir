// A kernel that is written in place and one of a module: lowered whatever the release. 22 and 24 differ in the copy.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%values: memref<64xf32>, %by: f32) kernel {
      %i = gpu.thread_id x
      %value = memref.load %values[%i] : memref<64xf32>
      %scaled = arith.mulf %value, %by : f32
      memref.store %scaled, %values[%i] : memref<64xf32>
      gpu.return
    }
  }

  func.func @in_place(%values: memref<64xf32>, %by: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch blocks(%bx, %by_, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
      %value = memref.load %values[%tx] : memref<64xf32>
      %scaled = arith.mulf %value, %by : f32
      memref.store %scaled, %values[%tx] : memref<64xf32>
      gpu.terminator
    }
    return
  }

  func.func @of_a_module(%values: memref<64xf32>, %by: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.launch_func async [%t0] @kernels::@scale
        blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%values : memref<64xf32>, %by : f32)
    gpu.wait [%t1]
    return
  }

  func.func @copied(%to: memref<64xf32>, %from: memref<64xf32>) {
    %done, %copied = async.execute -> !async.value<!gpu.async.token> {
      %t0 = gpu.wait async
      %t1 = gpu.memcpy async [%t0] %to, %from : memref<64xf32>, memref<64xf32>
      async.yield %t1 : !gpu.async.token
    }
    %t2 = async.await %copied : !async.value<!gpu.async.token>
    gpu.wait [%t2]
    return
  }
}
