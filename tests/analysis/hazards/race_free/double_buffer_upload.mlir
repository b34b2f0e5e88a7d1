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

  func.func @main(%h: memref<8x256xf32>, %out: memref<8x256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %y, %t1 = gpu.alloc async [%t0] () : memref<256xf32>
    gpu.wait [%t1]
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %x, %q = %y) -> (memref<256xf32>, memref<256xf32>) {
      %up = gpu.wait async
      %hv = memref.subview %h[%i, 0] [1, 256] [1, 1] : memref<8x256xf32> to memref<256xf32, strided<[1], offset: ?>>
      %stage = memref.alloc() : memref<256xf32>
      memref.copy %hv, %stage : memref<256xf32, strided<[1], offset: ?>> to memref<256xf32>
      %a = gpu.memcpy async [%up] %p, %stage : memref<256xf32>, memref<256xf32>
      %b = gpu.launch_func async [%a] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : memref<256xf32>)
      %c = gpu.memcpy async [%b] %stage, %p : memref<256xf32>, memref<256xf32>
      gpu.wait [%c]
      %ov = memref.subview %out[%i, 0] [1, 256] [1, 1] : memref<8x256xf32> to memref<256xf32, strided<[1], offset: ?>>
      memref.copy %stage, %ov : memref<256xf32> to memref<256xf32, strided<[1], offset: ?>>
      memref.dealloc %stage : memref<256xf32>
      scf.yield %q, %p : memref<256xf32>, memref<256xf32>
    }
    %z = gpu.wait async
    %d0 = gpu.dealloc async [%z] %r#0 : memref<256xf32>
    %d1 = gpu.dealloc async [%d0] %r#1 : memref<256xf32>
    gpu.wait [%d1]
    return
  }
}
