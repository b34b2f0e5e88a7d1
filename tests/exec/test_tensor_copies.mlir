//// PROGRAM

!near = memref<4x8xf32, 3>
!map = !nvgpu.tensormap.descriptor<tensor = !near, swizzle = SWIZZLE, l2promo = none, oob = FILL,
                                   interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
memref.global "private" @near : !near
func.func @main(%x: memref<6x10xf32>, %y: memref<6x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant BYTES : index
  %ticks = arith.constant 10000000 : index
  %false = arith.constant false
  %mask = arith.constant 3 : i16
  %from = memref.cast %x : memref<6x10xf32> to memref<*xf32>
  %to = memref.cast %y : memref<6x10xf32> to memref<*xf32>
  %source = nvgpu.tma.create.descriptor %from box[%c4, %c8] : memref<*xf32> -> !map
  %target = nvgpu.tma.create.descriptor %to box[%c4, %c8] : memref<*xf32> -> !map
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%t, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
    %near = memref.get_global @near : !near
    %group = nvgpu.mbarrier.create -> !barrier
    %issues = arith.cmpi eq, %t, %c1 : index
    nvgpu.mbarrier.init %group[%c0], %c1, predicate = %issues : !barrier
    gpu.barrier
    nvgpu.tma.async.load %source[%c4, %c4], %group[%c0] to %near MULTICAST, predicate = %issues
      : !map, !barrier -> !near
    nvgpu.mbarrier.arrive.expect_tx %group[%c0], %bytes, predicate = %issues : !barrier
    nvgpu.mbarrier.try_wait.parity %group[%c0], %false, %ticks : !barrier
    %first = arith.cmpi eq, %t, %c0 : index
    nvgpu.tma.async.store %near to %target[%c2, %c1], predicate = %first : !near -> !map
    gpu.terminator
  }
  return
}
