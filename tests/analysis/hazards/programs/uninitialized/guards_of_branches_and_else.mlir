// The guards are an else and a branch: the second kernel reads ten elements more than the first wrote.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<100xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1.0 : f32
      %beyond = arith.cmpi uge, %i, %n : index
      scf.if %beyond {
      } else {
        memref.store %one, %x[%i] : memref<100xf32>
      }
      gpu.return
    }
    gpu.func @read(%x: memref<100xf32>, %y: memref<100xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %inside = arith.cmpi ult, %i, %n : index
      cf.cond_br %inside, ^work, ^done
    ^work:
      %v = memref.load %x[%i] : memref<100xf32>
      memref.store %v, %y[%i] : memref<100xf32>
      cf.br ^done
    ^done:
      gpu.return
    }
  }
  func.func @main(%d: memref<100xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c90 = arith.constant 90 : index
    %c100 = arith.constant 100 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<100xf32>
    %t1 = gpu.launch_func async [%t0] @k::@fill blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<100xf32>, %c90 : index)
    // expected-warning @+1 {{GA305: This gpu.launch_func reads a part of %p that nothing has written.}}
    %t2 = gpu.launch_func async [%t1] @k::@read blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<100xf32>, %d : memref<100xf32>, %c100 : index)
    %t3 = gpu.dealloc async [%t2] %p : memref<100xf32>
    gpu.wait [%t3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<100xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1.0 : f32
      %beyond = arith.cmpi uge, %i, %n : index
      scf.if %beyond {
      } else {
        memref.store %one, %x[%i] : memref<100xf32>
      }
      gpu.return
    }
    gpu.func @read(%x: memref<100xf32>, %y: memref<100xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %inside = arith.cmpi ult, %i, %n : index
      cf.cond_br %inside, ^work, ^done
    ^work:
      %v = memref.load %x[%i] : memref<100xf32>
      memref.store %v, %y[%i] : memref<100xf32>
      cf.br ^done
    ^done:
      gpu.return
    }
  }
  func.func @main(%d: memref<100xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c90 = arith.constant 90 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<100xf32>
    %t1 = gpu.launch_func async [%t0] @k::@fill blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<100xf32>, %c90 : index)
    %t2 = gpu.launch_func async [%t1] @k::@read blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<100xf32>, %d : memref<100xf32>, %c90 : index)
    %t3 = gpu.dealloc async [%t2] %p : memref<100xf32>
    gpu.wait [%t3]
    return
  }
}
