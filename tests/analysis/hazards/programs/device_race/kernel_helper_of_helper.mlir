// A kernel writes by the helper of a helper.
module attributes {gpu.container_module} {
  gpu.module @k {
    func.func private @put2(%x: memref<256xf32>, %i: index, %v: f32) {
      memref.store %v, %x[%i] : memref<256xf32>
      return
    }
    func.func private @put(%x: memref<256xf32>, %i: index, %v: f32) {
      func.call @put2(%x, %i, %v) : (memref<256xf32>, index, f32) -> ()
      return
    }
    gpu.func @deep(%x: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      func.call @put(%x, %i, %v) : (memref<256xf32>, index, f32) -> ()
      gpu.return
    }
  }
  func.func @main(%x: memref<256xf32>, %o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.memcpy async [%s0] %o, %x : memref<256xf32>, memref<256xf32>
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the gpu.memcpy that reads it may still be running.}}
    %b = gpu.launch_func async [%s1] @k::@deep blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    func.func private @put2(%x: memref<256xf32>, %i: index, %v: f32) {
      %w = memref.load %x[%i] : memref<256xf32>
      return
    }
    func.func private @put(%x: memref<256xf32>, %i: index, %v: f32) {
      func.call @put2(%x, %i, %v) : (memref<256xf32>, index, f32) -> ()
      return
    }
    gpu.func @deep(%x: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      func.call @put(%x, %i, %v) : (memref<256xf32>, index, f32) -> ()
      gpu.return
    }
  }
  func.func @main(%x: memref<256xf32>, %o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.memcpy async [%s0] %o, %x : memref<256xf32>, memref<256xf32>
    %b = gpu.launch_func async [%s1] @k::@deep blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
