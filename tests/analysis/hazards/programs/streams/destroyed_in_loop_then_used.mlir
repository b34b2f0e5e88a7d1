// The loop's wait destroys what follows the loop uses.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @tick() {
    return
  }
  func.func @main(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    scf.for %i = %c0 to %n step %c1 {
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        gpu.wait [%a]
      }
    }
    // expected-error @+1 {{GA202: This gpu.launch_func runs on the stream of %t, which was already destroyed.}}
    %b = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    // expected-error @+1 {{GA201: The stream of %t is destroyed again here: a blocking gpu.wait destroys it.}}
    gpu.wait [%b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @tick() {
    return
  }
  func.func @main(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    scf.for %i = %c0 to %n step %c1 {
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        func.call @tick() : () -> ()
      }
    }
    %b = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    gpu.wait [%b]
    return
  }
}
