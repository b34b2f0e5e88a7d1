module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
  }

  gpu.module @k2 {
    gpu.func @residual(%x: memref<256xf32>, %flag: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %z = arith.constant 0 : i32
      %zf = arith.constant 0.0 : f32
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %p = arith.cmpf ogt, %v, %zf : f32
      scf.if %p {
        memref.store %z, %flag[%c0] : memref<1xi32>
      }
      gpu.return
    }
  }
  func.func @main(%x: memref<256xf32>, %hf: memref<1xi32>, %df: memref<1xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %z = arith.constant 0 : i32
    scf.while : () -> () {
      %s = gpu.wait async
      %a = gpu.memset async [%s] %df, %z : memref<1xi32>, i32
      %b = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
      %e = gpu.launch_func async [%b] @k2::@residual blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %df : memref<1xi32>)
      %d = gpu.memcpy async [%e] %hf, %df : memref<1xi32>, memref<1xi32>
      gpu.wait [%d]
      %v = memref.load %hf[%c0] : memref<1xi32>
      %go = arith.cmpi ne, %v, %z : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    return
  }
}
