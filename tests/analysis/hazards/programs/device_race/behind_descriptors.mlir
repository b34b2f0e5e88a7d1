// Kernels reach memory by tensor map descriptors; the copy into it is not waited for.
!desc = !nvgpu.tensormap.descriptor<tensor = memref<64x8xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!bar = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @load(%d: !desc, %out: memref<64xf32>) workgroup(%tile: memref<64x8xf32, 3>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %b = nvgpu.mbarrier.create -> !bar
      nvgpu.tma.async.load %d[%c0, %c0], %b[%c0] to %tile : !desc, !bar -> memref<64x8xf32, 3>
      %x = memref.load %tile[%t, %c0] : memref<64x8xf32, 3>
      memref.store %x, %out[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @given_to_a_kernel(%h: memref<64x8xf32>, %out: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64x8xf32>
    %u = memref.cast %p : memref<64x8xf32> to memref<*xf32>
    %d = nvgpu.tma.create.descriptor %u box[%c64, %c8] : memref<*xf32> -> !desc
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<64x8xf32>, memref<64x8xf32>
    %q = gpu.wait async
    // expected-warning @+1 {{GA301: This gpu.launch_func reads %p while the gpu.memcpy that writes it may still be running.}}
    %k = gpu.launch_func async [%q] @m::@load blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : !desc, %out : memref<64xf32>)
    gpu.wait [%k]
    gpu.wait [%s]
    %r = gpu.wait async
    %f = gpu.dealloc async [%r] %p : memref<64x8xf32>
    gpu.wait [%f]
    return
  }
  func.func @stored_by_a_launch(%h: memref<64x8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64x8xf32>
    %u = memref.cast %p : memref<64x8xf32> to memref<*xf32>
    %d = nvgpu.tma.create.descriptor %u box[%c64, %c8] : memref<*xf32> -> !desc
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<64x8xf32>, memref<64x8xf32>
    // expected-warning @+1 {{GA301: This gpu.launch writes %p while the gpu.memcpy that writes it may still be running.}}
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c64, %ly = %c1, %lz = %c1)
        workgroup(%tile : memref<64x8xf32, 3>) {
      %c0 = arith.constant 0 : index
      nvgpu.tma.async.store %tile to %d[%c0, %c0] : memref<64x8xf32, 3> -> !desc
      gpu.terminator
    }
    gpu.wait [%t1]
    %r = gpu.wait async
    %f = gpu.dealloc async [%r] %p : memref<64x8xf32>
    gpu.wait [%f]
    return
  }
}
// -----
!desc = !nvgpu.tensormap.descriptor<tensor = memref<64x8xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!bar = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @load(%d: !desc, %out: memref<64xf32>) workgroup(%tile: memref<64x8xf32, 3>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %b = nvgpu.mbarrier.create -> !bar
      nvgpu.tma.async.load %d[%c0, %c0], %b[%c0] to %tile : !desc, !bar -> memref<64x8xf32, 3>
      %x = memref.load %tile[%t, %c0] : memref<64x8xf32, 3>
      memref.store %x, %out[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @given_to_a_kernel(%h: memref<64x8xf32>, %out: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64x8xf32>
    %u = memref.cast %p : memref<64x8xf32> to memref<*xf32>
    %d = nvgpu.tma.create.descriptor %u box[%c64, %c8] : memref<*xf32> -> !desc
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<64x8xf32>, memref<64x8xf32>
    %q = gpu.wait async [%t1]
    %k = gpu.launch_func async [%q] @m::@load blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : !desc, %out : memref<64xf32>)
    gpu.wait [%k]
    gpu.wait [%s]
    %r = gpu.wait async
    %f = gpu.dealloc async [%r] %p : memref<64x8xf32>
    gpu.wait [%f]
    return
  }
  func.func @stored_by_a_launch(%h: memref<64x8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64x8xf32>
    %u = memref.cast %p : memref<64x8xf32> to memref<*xf32>
    %d = nvgpu.tma.create.descriptor %u box[%c64, %c8] : memref<*xf32> -> !desc
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<64x8xf32>, memref<64x8xf32>
    gpu.wait [%t1]
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c64, %ly = %c1, %lz = %c1)
        workgroup(%tile : memref<64x8xf32, 3>) {
      %c0 = arith.constant 0 : index
      nvgpu.tma.async.store %tile to %d[%c0, %c0] : memref<64x8xf32, 3> -> !desc
      gpu.terminator
    }
    %r = gpu.wait async
    %f = gpu.dealloc async [%r] %p : memref<64x8xf32>
    gpu.wait [%f]
    return
  }
}
