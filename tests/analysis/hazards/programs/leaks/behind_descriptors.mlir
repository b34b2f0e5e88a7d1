// A kernel reaches memory by a tensor map descriptor, behind the wait for the copy; nothing frees the memory.
!desc = !nvgpu.tensormap.descriptor<tensor = memref<64x8xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!bar = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
func.func @sums(%h: memref<64x8xf32>, %out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %s = gpu.wait async
  // expected-warning @+1 {{GA403: %p is never freed and does not escape: each call leaks it.}}
  %p, %t0 = gpu.alloc async [%s] () : memref<64x8xf32>
  %t1 = gpu.memcpy async [%t0] %p, %h : memref<64x8xf32>, memref<64x8xf32>
  %u = memref.cast %p : memref<64x8xf32> to memref<*xf32>
  %d = nvgpu.tma.create.descriptor %u box[%c64, %c8] : memref<*xf32> -> !desc
  gpu.wait [%t1]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c64, %ly = %c1, %lz = %c1)
      workgroup(%tile : memref<64x8xf32, 3>) {
    %c0 = arith.constant 0 : index
    %b = nvgpu.mbarrier.create -> !bar
    nvgpu.tma.async.load %d[%c0, %c0], %b[%c0] to %tile : !desc, !bar -> memref<64x8xf32, 3>
    %x = memref.load %tile[%tx, %c0] : memref<64x8xf32, 3>
    memref.store %x, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// -----

!desc = !nvgpu.tensormap.descriptor<tensor = memref<64x8xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!bar = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
func.func @sums(%h: memref<64x8xf32>, %out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %s = gpu.wait async
  %p, %t0 = gpu.alloc async [%s] () : memref<64x8xf32>
  %t1 = gpu.memcpy async [%t0] %p, %h : memref<64x8xf32>, memref<64x8xf32>
  %u = memref.cast %p : memref<64x8xf32> to memref<*xf32>
  %d = nvgpu.tma.create.descriptor %u box[%c64, %c8] : memref<*xf32> -> !desc
  gpu.wait [%t1]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c64, %ly = %c1, %lz = %c1)
      workgroup(%tile : memref<64x8xf32, 3>) {
    %c0 = arith.constant 0 : index
    %b = nvgpu.mbarrier.create -> !bar
    nvgpu.tma.async.load %d[%c0, %c0], %b[%c0] to %tile : !desc, !bar -> memref<64x8xf32, 3>
    %x = memref.load %tile[%tx, %c0] : memref<64x8xf32, 3>
    memref.store %x, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  %r = gpu.wait async
  %f = gpu.dealloc async [%r] %p : memref<64x8xf32>
  gpu.wait [%f]
  return
}
