// A pool's buffer is filled in the next round while the last one uses it.
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

  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %x, %q = %y) -> (memref<256xf32>, memref<256xf32>) {
      // expected-warning @+1 {{GA301: In a later iteration, this gpu.memcpy writes %p while the gpu.launch_func, which may read and write it, may still be running.}}
      %a = gpu.memcpy async [%s0] %p, %h : memref<256xf32>, memref<256xf32>
      // expected-warning @+1 {{GA301: In a later iteration, this gpu.launch_func may read and write %q while the gpu.memcpy that writes it may still be running.}}
      %b = gpu.launch_func async [%s1] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%q : memref<256xf32>)
      scf.yield %q, %p : memref<256xf32>, memref<256xf32>
    }
    gpu.wait [%s0, %s1]
    return
  }
}
// -----
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

  func.func @main(%x: memref<256xf32>, %y: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %x, %q = %y) -> (memref<256xf32>, memref<256xf32>) {
      %a = gpu.memcpy async [%s0] %p, %h : memref<256xf32>, memref<256xf32>
      %b = gpu.launch_func async [%s0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%q : memref<256xf32>)
      scf.yield %q, %p : memref<256xf32>, memref<256xf32>
    }
    gpu.wait [%s0, %s1]
    return
  }
}
