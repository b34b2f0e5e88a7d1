module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @hist(%in: memref<256xi32>, %bins: memref<16xi32>) kernel {
      %one = arith.constant 1 : i32
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<256xi32>
      %b = arith.index_cast %v : i32 to index
      %o = memref.atomic_rmw addi %one, %bins[%b] : (i32, memref<16xi32>) -> i32
      gpu.return
    }
  }
  func.func @main(%x: memref<256xi32>, %y: memref<256xi32>, %h: memref<16xi32>) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %z = arith.constant 0 : i32
    %s = gpu.wait async
    %bins, %t0 = gpu.alloc async [%s] () : memref<16xi32>
    %t1 = gpu.memset async [%t0] %bins, %z : memref<16xi32>, i32
    gpu.wait [%t1]
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@hist blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xi32>, %bins : memref<16xi32>)
    %b = gpu.launch_func async [%s1] @k::@hist blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xi32>, %bins : memref<16xi32>)
    gpu.wait [%a, %b]
    %s2 = gpu.wait async
    %c = gpu.memcpy async [%s2] %h, %bins : memref<16xi32>, memref<16xi32>
    %d = gpu.dealloc async [%c] %bins : memref<16xi32>
    gpu.wait [%d]
    %v = memref.load %h[%c0] : memref<16xi32>
    return %v : i32
  }
}
