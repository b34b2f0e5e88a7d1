//// LAUNCH

func.func @main(%n: index, %f: f32, %either: i1) {
  %g = memref.alloc() : memref<4xf32>
  %l = memref.alloca() : memref<4xf32>
  %h = arith.select %either, %g, %l : memref<4xf32>
  gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %r = %n)
    threads(%x, %y, %z) in (%o = %n, %p = %n, %q = %n) {
    memref.store %f, %h[%x] : memref<4xf32>
    gpu.terminator
  }
  return
}
