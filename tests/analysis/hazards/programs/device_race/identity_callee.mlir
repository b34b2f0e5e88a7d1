// A callee returns its argument under another shape.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @mat(%x: memref<8x8xf32>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%z, %i] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func private @flat(%m: memref<8x8xf32>) -> memref<64xf32> {
    %c = memref.collapse_shape %m [[0, 1]] : memref<8x8xf32> into memref<64xf32>
    return %c : memref<64xf32>
  }
  func.func @main(%x: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %y = call @flat(%x) : (memref<8x8xf32>) -> memref<64xf32>
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async @k::@mat blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8x8xf32>)
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
    gpu.func @mat(%x: memref<8x8xf32>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%z, %i] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func private @flat(%m: memref<8x8xf32>) -> memref<64xf32> {
    %c = memref.collapse_shape %m [[0, 1]] : memref<8x8xf32> into memref<64xf32>
    return %c : memref<64xf32>
  }
  func.func @main(%x: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %y = call @flat(%x) : (memref<8x8xf32>) -> memref<64xf32>
    %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    %b = gpu.launch_func async [%a] @k::@mat blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8x8xf32>)
    gpu.wait [%b]
    return
  }
}
