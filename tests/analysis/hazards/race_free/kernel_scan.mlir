// Each round of the kernel's loop reads what the one before has written.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scan(%x: memref<64xf32>, %v: f32) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      memref.store %v, %x[%c0] : memref<64xf32>
      scf.for %i = %c0 to %c63 step %c1 {
        %n = arith.addi %i, %c1 : index
        %a = memref.load %x[%i] : memref<64xf32>
        %w = arith.addf %a, %v : f32
        memref.store %w, %x[%n] : memref<64xf32>
      }
      gpu.return
    }
  }
  func.func @main(%y: memref<64xf32>, %v: f32) {
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %x, %t = gpu.alloc async [%s] () : memref<64xf32>
    %b = gpu.launch_func async [%t] @k::@scan blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %v : f32)
    %d = gpu.memcpy async [%b] %y, %x : memref<64xf32>, memref<64xf32>
    %c = gpu.dealloc async [%d] %x : memref<64xf32>
    gpu.wait [%c]
    return
  }
}
