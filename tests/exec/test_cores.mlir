//// FAULTY

func.func @main(%x: memref<4096xi32>, %y: memref<4096xi32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c4000 = arith.constant 4000 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c128, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1)
      workgroup(%s: memref<32xi32, #gpu.address_space<workgroup>>) {
    %b = arith.muli %bx, %c32 : index
    %i = arith.addi %b, %tx : index
    %v = memref.load %x[%i] : memref<4096xi32>
    memref.store %v, %s[%tx] : memref<32xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %late = arith.cmpi uge, %i, %c4000 : index
    %away = arith.muli %i, %c128 : index
    %far = arith.select %late, %away, %i : index
    %w = memref.load %x[%far] : memref<4096xi32>
    %d = arith.divsi %v, %v : i32
    %r = arith.subi %c32, %c1 : index
    %j = arith.subi %r, %tx : index
    %u = memref.load %s[%j] : memref<32xi32, #gpu.address_space<workgroup>>
    %m = arith.addi %u, %d : i32
    memref.store %m, %y[%i] : memref<4096xi32>
    gpu.terminator
  }
  return
}
//// ATOMIC

func.func @main(%x: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c64, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %o = memref.atomic_rmw addi %one, %x[%c0] : (i32, memref<1xi32>) -> i32
    gpu.terminator
  }
  return
}
//// SPOKEN

func.func @main() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c64, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.printf "%lld ", %bx : index
    gpu.terminator
  }
  return
}
