//// PROGRAM

memref.global "private" @tab : memref<8xf32> = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]>
memref.global "private" @count : memref<4xi32> = dense<3>
func.func private @printMemrefF32(memref<*xf32>)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %one = arith.constant 1 : i32
  %f = arith.constant 9.0 : f32
  %w = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %g = memref.get_global @tab : memref<8xf32>
  %n = memref.get_global @count : memref<4xi32>
  %s = gpu.wait async
  %d, %s1 = gpu.alloc async [%s] () : memref<8xf32>
  %s2 = gpu.memcpy async [%s1] %d, %g : memref<8xf32>, memref<8xf32>
  BEFORE
  gpu.wait [%s2]
  AFTER
  %t = gpu.wait async
  %t1 = gpu.dealloc async [%t] %d : memref<8xf32>
  gpu.wait [%t1]
  %u = memref.cast %g : memref<8xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
