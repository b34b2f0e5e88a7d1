//// RUNNABLE
func.func @soak(%n: index) -> memref<8xf32> {
  %v = arith.constant 2.0 : f32
  %t0 = gpu.wait async
  %m, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
  %t2 = gpu.memset async [%t1] %m, %v : memref<8xf32>, f32
  %h = memref.alloc() : memref<8xf32>
  %t3 = gpu.memcpy async [%t2] %h, %m : memref<8xf32>, memref<8xf32>
  %t4 = gpu.dealloc async [%t3] %m : memref<8xf32>
  gpu.wait [%t4]
  return %h : memref<8xf32>
}
