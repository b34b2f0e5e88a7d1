// A helper launches and waits while a stream of the caller writes the same buffer.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @scale(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    return
  }
  func.func @main(%x: memref<64xf32>, %h: memref<64xf32>) {
    %s = gpu.wait async
    %c = gpu.memcpy async [%s] %x, %h : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA301: This func.call may read and write %x while the gpu.memcpy that writes it may still be running.}}
    call @scale(%x) : (memref<64xf32>) -> ()
    gpu.wait [%c]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @scale(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    return
  }
  func.func @main(%x: memref<64xf32>, %h: memref<64xf32>) {
    %s = gpu.wait async
    %c = gpu.memcpy async [%s] %x, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    call @scale(%x) : (memref<64xf32>) -> ()
    return
  }
}
