// A task and the host each call a helper that launches a kernel on one buffer.
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
  func.func @main(%x: memref<64xf32>) {
    %task = async.execute {
      func.call @scale(%x) : (memref<64xf32>) -> ()
      async.yield
    }
    // expected-warning @+1 {{GA301: This func.call may read and write %x while the earlier func.call, which may read and write it, may still be running.}}
    call @scale(%x) : (memref<64xf32>) -> ()
    async.await %task : !async.token
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
  func.func @main(%x: memref<64xf32>) {
    %task = async.execute {
      func.call @scale(%x) : (memref<64xf32>) -> ()
      async.yield
    }
    async.await %task : !async.token
    call @scale(%x) : (memref<64xf32>) -> ()
    return
  }
}
