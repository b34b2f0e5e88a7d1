//// FORK

func.func @f(%h: memref<8xf32>, %n: index, %v: f32) {{
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %m, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
  %u0 = gpu.wait async
  {line}
  %later = gpu.wait async
  return
}}
//// LAUNCH

module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @scale(%m: memref<8xf32>, %f: f32) kernel {{
      gpu.return
    }}
    gpu.func @helper() {{
      gpu.return
    }}
  }}
  func.func private @log(%x: i32)
  func.func @f(%m: memref<8xf32>, %f: f32, %x: i32) {{
    %t = gpu.wait async
    {line}
    return
  }}
}}
//// BLOCKS

func.func @f(%c: i1, %n: index) {{
  %t0 = gpu.wait async
  cf.cond_br %c, ^left, ^right
^left:
  %t1 = gpu.wait async
  {left}
  cf.br ^end(%t1 : !gpu.async.token)
^right:
  %t2 = gpu.wait async
  {right}
  cf.br ^end(%t2 : !gpu.async.token)
^end(%t3: !gpu.async.token):
  {end}
  return
}}
//// REGIONS

func.func @f(%c: i1, %n: index) {{
  %outer = gpu.wait async
  scf.if %c {{
    %then = gpu.wait async
    {then}
  }} else {{
    {other}
    %else = gpu.wait async
  }}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {{
    %inside = gpu.block_id x
    gpu.terminator
  }}
  {after}
  return
}}
//// TYPES

func.func @callee(%x: f32) {{
  return
}}
func.func @f(%flag: i1, %size: index, %m: memref<8xf32>, %v: f32, %i: i32, %u: memref<*xf32>) {{
  {line}
  return
}}
//// POSITIONS

memref.global "private" @table : memref<8xf32>
gpu.module @kernels {{
  gpu.func @scale(%m: memref<8xf32>, %f: f32) kernel {{
    gpu.return
  }}
}}
func.func private @log(%x: i32) -> f32
func.func @f(%m: memref<8x4xf32>, %f: f32, %x: i32, %n: index, %b: i1, %v: vector<4xf32>) {{
  %t = gpu.wait async
  {line}
  return
}}
//// HOST

func.func @f(%h: memref<8xf32>, %n: index, %v: f32, %dev: i32, %dn: memref<?xf32>) {{
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %m, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
  {line}
  return
}}
//// KERNEL

gpu.module @kernels {{
  gpu.func @scale(%m: memref<8xf32>, %f: f32, %x: i32, %n: index, %p: i1) kernel {{
    {line}
    gpu.return
  }}
}}
//// MOD

gpu.module @kernels {{
  {line}
}}
//// TOP

{line}
//// KERNELS

gpu.module @m {{
  {line}
}}
//// BRANCH

func.func @f(%p: i1, %m: memref<8xf32>) {{
  %t0 = gpu.wait async
  %r = scf.if %p -> (!gpu.async.token) {{
    {line}
  }} else {{
    scf.yield %t0 : !gpu.async.token
  }}
  return
}}
//// GIVES

func.func @f(%n: index, %m: memref<8xf32>, %p: i1) -> (memref<8xf32>, index) {{
  {line}
}}
//// LABEL

func.func @f() {{
  {line}
^next:
  return
}}
