// A ping-pong loop that forgets to swap.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %A: memref<64xf32>, %B: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %u0 = gpu.memcpy async [%t0] %A, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%u0]
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %A, %b = %B) -> (memref<64xf32>, memref<64xf32>) {
      %s = gpu.wait async
      %u = gpu.memcpy async [%s] %b, %h : memref<64xf32>, memref<64xf32>
      // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %b while the gpu.memcpy that writes it may still be running.}}
      %k = gpu.launch_func async @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>)
      gpu.wait [%k, %u]
      scf.yield %b, %a : memref<64xf32>, memref<64xf32>
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %A: memref<64xf32>, %B: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %u0 = gpu.memcpy async [%t0] %A, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%u0]
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %A, %b = %B) -> (memref<64xf32>, memref<64xf32>) {
      %s = gpu.wait async
      %u = gpu.memcpy async [%s] %b, %h : memref<64xf32>, memref<64xf32>
      %k = gpu.launch_func async @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>)
      gpu.wait [%k, %u]
      scf.yield %b, %a : memref<64xf32>, memref<64xf32>
    }
    return
  }
}
