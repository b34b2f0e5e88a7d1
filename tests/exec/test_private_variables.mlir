//// PROGRAM

func.func @main(%a: memref<64xf32>, %o: memref<64xf32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {{
    {before}
    %v = memref.load %a[%tx] : memref<64xf32>
    %p = memref.alloca({count}) : memref<{extent}xf32>
    scf.for %k = %c0 to %c64 step %c1 {{
      %t = memref.alloca() : memref<4096xf32>
      memref.store %v, %t[%k] : memref<4096xf32>
      {within}
      %w = memref.load %t[%k] : memref<4096xf32>
      %i = arith.remui %k, %n : index
      memref.store %w, %p[%i] : memref<{extent}xf32>
    }}
    %r = memref.load %p[%c2] : memref<{extent}xf32>
    memref.store %r, %o[%tx] : memref<64xf32>
    gpu.terminator
  }}
  return
}}
