module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%in: memref<256xf32>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<256xf32>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func private @init(%x: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    scf.for %i = %c0 to %c256 step %c1 {
      memref.store %f, %x[%i] : memref<256xf32>
    }
    return
  }
  func.func private @setup_and_run(%t: !gpu.async.token, %x: memref<256xf32>, %o: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    func.call @init(%x) : (memref<256xf32>) -> ()
    %a = gpu.launch_func async [%t] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %o : memref<256xf32>)
    return
  }
  func.func @main() -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %x = gpu.alloc host_shared () : memref<256xf32>
    %o = gpu.alloc host_shared () : memref<256xf32>
    %s = gpu.wait async
    func.call @setup_and_run(%s, %x, %o) : (!gpu.async.token, memref<256xf32>, memref<256xf32>) -> ()
    gpu.wait [%s]
    %v = memref.load %o[%c0] : memref<256xf32>
    %q = gpu.wait async
    %d0 = gpu.dealloc async [%q] %x : memref<256xf32>
    %d1 = gpu.dealloc async [%d0] %o : memref<256xf32>
    gpu.wait [%d1]
    return %v : f32
  }
}
