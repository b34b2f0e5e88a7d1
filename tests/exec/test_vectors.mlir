//// KERNEL

func.func @main(%m: memref<8xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
    %v = arith.constant dense<1.0> : vector<4xf32>
    %all = arith.constant dense<true> : vector<4xi1>
    %three = arith.constant dense<[true, true, true, false]> : vector<4xi1>
    %far = arith.constant dense<[0, 9, 1, 2]> : vector<4xi32>
    %zero = arith.constant 0.0 : f32
    %ignored = arith.constant dense<[true, false, true, true]> : vector<4xi1>
    {op}
    gpu.terminator
  }}
  return
}}
//// PRINTS

func.func @main() {
  %a = arith.constant dense<[[1.5, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
  %b = arith.constant dense<[-1, 2]> : vector<2xi32>
  vector.print %a : vector<2x2xf32>
  vector.print %b : vector<2xi32> punctuation <comma>
  vector.print %b : vector<2xi32>
  return
}
