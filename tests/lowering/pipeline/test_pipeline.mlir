//// LAUNCH

func.func @f(%a: memref<8xf32>, %n: index) {
  %c = arith.constant 1 : index
  gpu.launch blocks(%x, %y, %z) in (%i = %c, %j = %c, %k = %c)
             threads(%tx, %ty, %tz) in (%l = %n, %m = %c, %o = %c) {
    %v = memref.load %a[%tx] : memref<8xf32>
    memref.store %v, %a[%tx] : memref<8xf32>
    gpu.terminator
  }
  return
}
