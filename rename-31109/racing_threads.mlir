func.func @reverse(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %d, %x : memref<64xf32>, memref<64xf32>
  gpu.wait [%t2]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %c63 = arith.constant 63 : index
    %value = memref.load %d[%tx] : memref<64xf32>
    memref.store %value, %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    %other = arith.subi %c63, %tx : index
    %reversed = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %reversed, %d[%tx] : memref<64xf32>
    gpu.terminator
  }
  %u0 = gpu.wait async
  %u1 = gpu.memcpy async [%u0] %x, %d : memref<64xf32>, memref<64xf32>
  %u2 = gpu.dealloc async [%u1] %d : memref<64xf32>
  gpu.wait [%u2]
  return
}
