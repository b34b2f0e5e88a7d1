//// KERNEL
#ws = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  func.func @main(%x: memref<256xf32>) {
    %one = arith.constant 1 : index
    %g = arith.constant 4 : index
    %b = arith.constant 64 : index
    PRE
    gpu.launch_func @m::@k CLUSTERS blocks in (GRID, %one, %one) threads in (BLOCK, %one, %one) DYNAMIC
        args(%x : memref<256xf32>)
    POST
    return
  }
  gpu.module @m {
    gpu.func @k(%x: memref<256xf32>) kernel {
      %t = gpu.thread_id x
      %i = gpu.global_id x
      BODY
      gpu.return
    }
  }
}
//// REGISTERS

func.func @main(%x: memref<256xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %ua = memref.cast %a : memref<16xf32> to memref<*xf32>
  %ub = memref.cast %b : memref<16xf32> to memref<*xf32>
  %ux = memref.cast %x : memref<256xf32> to memref<*xf32>
  gpu.host_register %ua : memref<*xf32>
  gpu.host_register %ub : memref<*xf32>
  gpu.host_register %ux : memref<*xf32>
  %s = gpu.wait async
  %d, %t = gpu.alloc async [%s] () : memref<16xf32>
  %u = gpu.memcpy async [%t] %d, %b : memref<16xf32>, memref<16xf32>
  %v = gpu.memcpy async [%u] %a, %d : memref<16xf32>, memref<16xf32>
  %w = gpu.dealloc async [%v] %d : memref<16xf32>
  gpu.wait [%w]
  gpu.host_unregister %ua : memref<*xf32>
  gpu.host_unregister %ub : memref<*xf32>
  gpu.host_unregister %ux : memref<*xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}
