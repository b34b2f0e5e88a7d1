// A guard leaves the last elements out, which the next kernel reads.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1.0 : f32
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        memref.store %one, %x[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @copy(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %v = memref.load %x[%i] : memref<64xf32>
        memref.store %v, %y[%i] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%d: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c60 = arith.constant 60 : index
    %c62 = arith.constant 62 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %t1 = gpu.launch_func async [%t0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>, %c60 : index)
    // expected-warning @+1 {{GA305: This gpu.launch_func reads a part of %p that nothing has written.}}
    %t2 = gpu.launch_func async [%t1] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>, %d : memref<64xf32>, %c62 : index)
    %t3 = gpu.dealloc async [%t2] %p : memref<64xf32>
    gpu.wait [%t3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %one = arith.constant 1.0 : f32
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        memref.store %one, %x[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @copy(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) kernel {
      %i = gpu.global_id x
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %v = memref.load %x[%i] : memref<64xf32>
        memref.store %v, %y[%i] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%d: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c60 = arith.constant 60 : index
    %c62 = arith.constant 62 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %t1 = gpu.launch_func async [%t0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>, %c60 : index)
    %t2 = gpu.launch_func async [%t1] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>, %d : memref<64xf32>, %c60 : index)
    %t3 = gpu.dealloc async [%t2] %p : memref<64xf32>
    gpu.wait [%t3]
    return
  }
}
