// A forall reads what a kernel fills.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>, %o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    scf.forall (%i) in (256) {
      // expected-warning @+1 {{GA302: The host reads %x while the gpu.launch_func that writes it may still be running.}}
      %v = memref.load %x[%i] : memref<256xf32>
      memref.store %v, %o[%i] : memref<256xf32>
    }
    gpu.wait [%a]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%x: memref<256xf32>, %o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    gpu.wait [%a]
    scf.forall (%i) in (256) {
      %v = memref.load %x[%i] : memref<256xf32>
      memref.store %v, %o[%i] : memref<256xf32>
    }
    return
  }
}
