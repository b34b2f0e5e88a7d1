"""Small texts of every kind of construct, from which the fuzzing tests start."""

from __future__ import annotations

TEXTS = (
    """#map = affine_map<(d0) -> (d0)>
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target] {
    gpu.func @k(%a: memref<7xf32>) kernel {
      %0 = gpu.thread_id x
      %1 = memref.load %a[%0] : memref<7xf32>
      gpu.return
    }
  }
  // a comment with { and "
  func.func @main(%m: memref<7xf32>, %n: index) attributes {a = "}"} {
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    %d, %t1 = gpu.alloc async [%t0] () : memref<7xf32>
    %t2 = gpu.memcpy async [%t1] %d, %m : memref<7xf32>, memref<7xf32>
    %t3 = gpu.launch_func async [%t2] @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%d : memref<7xf32>)
    gpu.wait [%t3]
    return
  }
  func.func private @callee(index) -> !gpu.async.token
}
""",
    """func.func @f(%lo: index, %hi: index, %s: index, %c: i1) -> i32 {
  %z = arith.constant 0 : i32
  %r = scf.for %i = %lo to %hi step %s iter_args(%a = %z) -> (i32) {
    %x = my.op %i, %a {k = #map} : (index, i32) -> i32
    %y = scf.if %c -> (i32) {
      scf.yield %x : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %y : i32
  }
  cf.cond_br %c, ^bb1(%r : i32), ^bb2
^bb1(%p: i32):
  return %p : i32
^bb2:
  %q:2 = "foo.bar"(%r) ({
  ^bb0(%k: f32):
    "foo.end"() : () -> ()
  }) {a} : (i32) -> (i32, i32)
  return %q#1 : i32
}

// -----

func.func @g() {
  %token, %v = async.execute -> !async.value<f32> {
    %f = arith.constant 1.5 : f32
    async.yield %f : f32
  }
  return
}
""",
)

TOKENS = (
    "%t0", "%new", "{", "}", "(", ")", "[", "]", "<", ">", ":", ",", "=", "->", "^bb1", "@k", '"', "//", "\n",
    "\r\n", " ", "async", "gpu.wait", "func.func @x() {", "return", ": f32", "#map",
    "!tt.ptr<f32>", "\t", "\0", "\u2028", "é", "// -----\n", "module {", "loc(unknown)", "{-#", "1.0e",
    "0x", "/",
)  # fmt: skip
