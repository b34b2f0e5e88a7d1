//// LAUNCH

module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    gpu.launch_func @k::@KERNEL CLUSTER blocks in (%GRID, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @k {
    gpu.func @small() workgroup(%w : memref<12288xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %f = arith.constant 0.0 : f32
      memref.store %f, %w[%c0] : memref<12288xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
    gpu.func @greedy() kernel {
      %c0 = arith.constant 0 : index
      %f = arith.constant 0.0 : f32
      %v = memref.alloca() : memref<1000000xf32>
      memref.store %f, %v[%c0] : memref<1000000xf32>
      gpu.return
    }
    gpu.func @large() workgroup(%w : memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %f = arith.constant 0.0 : f32
      memref.store %f, %w[%c0] : memref<16384xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
}
//// DECLARED

module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    %n = arith.constant THREADS : index
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
    return
  }
  gpu.module @k {
    gpu.func @f() kernel attributes {ATTRIBUTE} { gpu.return }
  }
}
//// UNAWAITED

func.func @main(%x: memref<8xf32>) {
  %s = gpu.wait async
  %d, %s1 = gpu.alloc async [%s] () : memref<8xf32>
  %v = arith.constant 0.0 : f32
  %s2 = gpu.memset async [%s1] %d, %v : memref<8xf32>, f32
  %s3 = gpu.memcpy async [%s2] %x, %d : memref<8xf32>, memref<8xf32>
  return
}
//// MANY_BLOCKS

func.func @main(%x: memref<8xi32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 1048600 : index
  %last = arith.constant 1048595 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %before = arith.cmpi ult, %bx, %last : index
    scf.if %before {
    } else {
      %v = arith.index_cast %bx : index to i32
      memref.store %v, %x[%c4] : memref<8xi32>
    }
    gpu.terminator
  }
  return
}
