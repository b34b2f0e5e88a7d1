// A byte view at 0 against one at 252: four bytes in common.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%arena: memref<1024xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %at = arith.constant 252 : index
    %v = memref.view %arena[%c0][] : memref<1024xi8> to memref<64xf32>
    %w = memref.view %arena[%at][] : memref<1024xi8> to memref<64xf32>
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%v : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %arena while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%w : memref<64xf32>)
    gpu.wait [%a, %b]
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
  }
  func.func @main(%arena: memref<1024xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %at = arith.constant 256 : index
    %v = memref.view %arena[%c0][] : memref<1024xi8> to memref<64xf32>
    %w = memref.view %arena[%at][] : memref<1024xi8> to memref<64xf32>
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%v : memref<64xf32>)
    %b = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%w : memref<64xf32>)
    gpu.wait [%a, %b]
    return
  }
}
