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

  func.func private @printMemrefF32(memref<*xf32>)
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %h = memref.alloc() : memref<256xf32>
    scf.for %i = %c0 to %c256 step %c1 {
      memref.store %f, %h[%i] : memref<256xf32>
    }
    %u = memref.cast %h : memref<256xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    %t0, %f0 = async.execute () -> !async.value<memref<256xf32>> {
      %s = gpu.wait async
      %x, %e0 = gpu.alloc async [%s] () : memref<256xf32>
      %e1 = gpu.memcpy async [%e0] %x, %h : memref<256xf32>, memref<256xf32>
      gpu.wait [%e1]
      async.yield %x : memref<256xf32>
    }
    %x = async.await %f0 : !async.value<memref<256xf32>>
    %t1 = async.execute [%t0] {
      %s = gpu.wait async
      %a = gpu.launch_func async [%s] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
      %b = gpu.memcpy async [%a] %h, %x : memref<256xf32>, memref<256xf32>
      %d = gpu.dealloc async [%b] %x : memref<256xf32>
      gpu.wait [%d]
      async.yield
    }
    async.await %t1 : !async.token
    func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
    gpu.host_unregister %u : memref<*xf32>
    memref.dealloc %h : memref<256xf32>
    return
  }
}
