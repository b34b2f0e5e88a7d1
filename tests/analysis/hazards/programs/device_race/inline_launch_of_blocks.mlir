// A body of blocks: what a later block computes differs from thread to thread.
func.func @main(%p: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c200 = arith.constant 200 : index
  %l = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
    %m = arith.muli %bx, %lx : index
    %i = arith.addi %m, %tx : index
    %out = arith.cmpi sge, %i, %c200 : index
    cf.cond_br %out, ^exit, ^work
  ^work:
    %f = arith.constant 1.0 : f32
    %k = arith.addi %i, %c8 : index
    memref.store %f, %p[%k] : memref<?xf32>
    cf.br ^exit
  ^exit:
    gpu.terminator
  }
  // expected-warning @+1 {{GA301: This gpu.launch writes %p while the earlier gpu.launch that writes it may still be running.}}
  %r = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
    %m = arith.muli %bx, %lx : index
    %i = arith.addi %m, %tx : index
    %j = arith.addi %i, %c200 : index
    %f = arith.constant 2.0 : f32
    memref.store %f, %p[%j] : memref<?xf32>
    gpu.terminator
  }
  gpu.wait [%l, %r]
  return
}
// -----
func.func @main(%p: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c200 = arith.constant 200 : index
  %l = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
    %m = arith.muli %bx, %lx : index
    %i = arith.addi %m, %tx : index
    %out = arith.cmpi sge, %i, %c200 : index
    cf.cond_br %out, ^exit, ^work
  ^work:
    %f = arith.constant 1.0 : f32
    memref.store %f, %p[%i] : memref<?xf32>
    cf.br ^exit
  ^exit:
    gpu.terminator
  }
  %r = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
    %m = arith.muli %bx, %lx : index
    %i = arith.addi %m, %tx : index
    %j = arith.addi %i, %c200 : index
    %f = arith.constant 2.0 : f32
    memref.store %f, %p[%j] : memref<?xf32>
    gpu.terminator
  }
  gpu.wait [%l, %r]
  return
}
