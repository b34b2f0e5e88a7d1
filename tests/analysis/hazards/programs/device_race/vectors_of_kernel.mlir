// A kernel reads by vectors what another one writes.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @vec(%x: memref<256xf32>, %o: memref<256xf32>) kernel {
      %c4 = arith.constant 4 : index
      %z = arith.constant 0.0 : f32
      %i = gpu.thread_id x
      %j = arith.muli %i, %c4 : index
      %v = vector.transfer_read %x[%j], %z : memref<256xf32>, vector<4xf32>
      vector.transfer_write %v, %o[%j] : vector<4xf32>, memref<256xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<256xf32>, %o: memref<256xf32>, %q: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@vec blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<256xf32>, %o : memref<256xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func reads %o while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%s1] @k::@vec blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%o : memref<256xf32>, %q : memref<256xf32>)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @vec(%x: memref<256xf32>, %o: memref<256xf32>) kernel {
      %c4 = arith.constant 4 : index
      %z = arith.constant 0.0 : f32
      %i = gpu.thread_id x
      %j = arith.muli %i, %c4 : index
      %v = vector.transfer_read %x[%j], %z : memref<256xf32>, vector<4xf32>
      vector.transfer_write %v, %o[%j] : vector<4xf32>, memref<256xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<256xf32>, %o: memref<256xf32>, %q: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@vec blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<256xf32>, %o : memref<256xf32>)
    %b = gpu.launch_func async [%s1] @k::@vec blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<256xf32>, %q : memref<256xf32>)
    gpu.wait [%a, %b]
    return
  }
}
