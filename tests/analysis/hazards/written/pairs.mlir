//// torch/result_read_before_wait: host race
func.func @forward(%in: !v, %out: !v, %n: index) -> f32 {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] (%n) : !v
  %t1 = gpu.memcpy async [%t0] %d, %in : !v, !v
  %t2 = gpu.launch_func async [%t1] @k::@scale GRID args(%d : !v)
  %t3 = gpu.memcpy async [%t2] %out, %d : !v, !v
  %t4 = gpu.dealloc async [%t3] %d : !v
+ gpu.wait [%t4]
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> (f32) {
    %x = memref.load %out[%i] : !v
    %a = arith.addf %acc, %x : f32
    scf.yield %a : f32
  }
- gpu.wait [%t4]
  return %sum : f32
}
//// torch/residual_not_joined: device race
func.func @block(%x: !v, %y: !v, %z: !v, %n: index) {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@copy GRID args(%x : !v, %y : !v)
- %b = gpu.launch_func async [%t] @k::@add GRID args(%x : !v, %y : !v, %z : !v)
- gpu.wait [%a, %b]
+ %j = gpu.wait async [%t, %a]
+ %b = gpu.launch_func async [%j] @k::@add GRID args(%x : !v, %y : !v, %z : !v)
+ gpu.wait [%a, %b, %t]
  return
}
//// torch/linalg_on_result: host race
func.func @relu(%in: !w, %out: !w, %fin: !w) {
  CONSTS
  %s = gpu.wait async
  %t1 = gpu.memcpy async [%s] %out, %in : !w, !w
+ gpu.wait [%t1]
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%out : !w) outs(%fin : !w) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %f : f32
    linalg.yield %m : f32
  }
- gpu.wait [%t1]
  return
}
//// iree/arena_views: device race
func.func @dispatch(%arena: memref<4096xi8>) {
  CONSTS
  %o0 = arith.constant 0 : index
- %o1 = arith.constant 128 : index
+ %o1 = arith.constant 256 : index
  %x = memref.view %arena[%o0][] : memref<4096xi8> to !w
  %y = memref.view %arena[%o1][] : memref<4096xi8> to !w
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.memset async [%s] %x, %f : !w, f32
  %b = gpu.memset async [%t] %y, %f : !w, f32
  gpu.wait [%a, %b]
  return
}
//// iree/arena_view_on_host: host race
func.func @dispatch(%arena: memref<?xi8>, %at: index, %in: !w) -> f32 {
  CONSTS
  %x = memref.view %arena[%at][] : memref<?xi8> to !w
  %y = memref.view %arena[%at][] : memref<?xi8> to memref<8x8xf32>
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %x, %in : !w, !w
+ gpu.wait [%a]
  %r = memref.load %y[%c0, %c1] : memref<8x8xf32>
- gpu.wait [%a]
  return %r : f32
}
//// halo/edge_read_while_written: device race
func.func @step(%g: memref<64x64xf32>, %edge: memref<1x64xf32>) {
  CONSTS
- %i = memref.subview %g[0, 0] [63, 64] [1, 1] : memref<64x64xf32> to memref<63x64xf32, strided<[64, 1]>>
- %it = memref.cast %i : memref<63x64xf32, strided<[64, 1]>> to !tile
+ %i = memref.subview %g[1, 0] [62, 64] [1, 1] : memref<64x64xf32> to memref<62x64xf32, strided<[64, 1], offset: 64>>
+ %it = memref.cast %i : memref<62x64xf32, strided<[64, 1], offset: 64>> to !tile
  %e = memref.subview %g[0, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<1x64xf32, strided<[64, 1]>>
  %et = memref.cast %e : memref<1x64xf32, strided<[64, 1]>> to !tile
  %out = memref.cast %edge : memref<1x64xf32> to !tile
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%it : !tile, %f : f32)
  %b = gpu.launch_func async [%t] @k::@copy_tile GRID args(%et : !tile, %out : !tile)
  gpu.wait [%a, %b]
  return
}
//// halo/symbolic_rows: device race
func.func @step(%g: !v, %lo: index, %n: index) {
  CONSTS
- %hi = arith.addi %lo, %c1 : index
+ %hi = arith.addi %lo, %c8 : index
  %p0 = memref.subview %g[%lo] [8] [1] : !v to memref<8xf32, strided<[1], offset: ?>>
  %q0 = memref.subview %g[%hi] [8] [1] : !v to memref<8xf32, strided<[1], offset: ?>>
  %p = memref.cast %p0 : memref<8xf32, strided<[1], offset: ?>> to !part
  %q = memref.cast %q0 : memref<8xf32, strided<[1], offset: ?>> to !part
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_part GRID args(%p : !part, %f : f32)
  %b = gpu.launch_func async [%t] @k::@fill_part GRID args(%q : !part, %f : f32)
  gpu.wait [%a, %b]
  return
}
//// halo/time_loop_swaps: device race
func.func @run(%u: !mat, %w: !mat, %host: !mat) {
  CONSTS
  scf.for %i = %c0 to %c64 step %c1 iter_args(%old = %u, %new = %w) -> (!mat, !mat) {
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@stencil GRID args(%old : !mat, %new : !mat)
-   %b = gpu.memcpy async [%t] %host, %new : !mat, !mat
+   %b = gpu.memcpy async [%t] %host, %old : !mat, !mat
    gpu.wait [%a, %b]
    scf.yield %new, %old : !mat, !mat
  }
  return
}
//// double_buffer/stage_refilled: host race
func.func @stream_in(%big: !v, %d: !w, %tiles: index) {
  CONSTS
  %stage = memref.alloc() : !w
  scf.for %i = %c0 to %tiles step %c1 {
    %s = gpu.wait async
    %at = arith.muli %i, %c64 : index
    %src = memref.subview %big[%at] [64] [1] : !v to memref<64xf32, strided<[1], offset: ?>>
    memref.copy %src, %stage : memref<64xf32, strided<[1], offset: ?>> to !w
    %a = gpu.memcpy async [%s] %d, %stage : !w, !w
-   memref.store %f, %stage[%c0] : !w
    gpu.wait [%a]
+   memref.store %f, %stage[%c0] : !w
  }
  memref.dealloc %stage : !w
  return
}
//// double_buffer/wait_after_loop: host race
func.func @stream_in(%in: !v, %d: !w, %tiles: index) {
  CONSTS
  %stage = memref.alloc() : !w
  %s = gpu.wait async
  %end = scf.for %i = %c0 to %tiles step %c1 iter_args(%t = %s) -> (!tok) {
-   memref.store %f, %stage[%c1] : !w
    %a = gpu.memcpy async [%t] %d, %stage : !w, !w
    scf.yield %a : !tok
  }
  gpu.wait [%s]
+ memref.store %f, %stage[%c1] : !w
  memref.dealloc %stage : !w
  return
}
//// while/residual_read_early: host race
func.func @solve(%x: !v, %r: memref<f32>, %hr: memref<f32>, %eps: f32) {
  CONSTS
  scf.while : () -> () {
    %s = gpu.wait async
    %m = gpu.memset async [%s] %r, %f : memref<f32>, f32
    %a = gpu.launch_func async [%m] @k::@reduce GRID args(%x : !v, %r : memref<f32>)
    %b = gpu.memcpy async [%a] %hr, %r : memref<f32>, memref<f32>
+   gpu.wait [%b]
    %now = memref.load %hr[] : memref<f32>
-   gpu.wait [%b]
    %go = arith.cmpf ogt, %now, %eps : f32
    scf.condition(%go)
  } do {
    scf.yield
  }
  return
}
//// while/token_carried: host race
func.func @solve(%x: !w, %h: !w, %n: index) -> f32 {
  CONSTS
  %s = gpu.wait async
  %t, %e = scf.while (%t = %s, %i = %c0) : (!tok, index) -> (!tok, index) {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %t, %i : !tok, index
  } do {
  ^bb0(%u: !tok, %i: index):
    %a = gpu.memcpy async [%u] %h, %x : !w, !w
    %next = arith.addi %i, %c1 : index
    scf.yield %a, %next : !tok, index
  }
- %r = memref.load %h[%c0] : !w
- gpu.wait [%s]
+ gpu.wait [%s]
+ %r = memref.load %h[%c0] : !w
  return %r : f32
}
//// async/not_awaited: host race
func.func @main(%d: !w, %h: !w) -> f32 {
  CONSTS
  %done = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : !w, !w
    gpu.wait [%a]
    async.yield
  }
+ async.await %done : !async.token
  %r = memref.load %h[%c0] : !w
- async.await %done : !async.token
  return %r : f32
}
//// async/two_unordered: device race
func.func @main(%d: !w, %h: !w, %g: !w) {
  CONSTS
  %one = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %d, %h : !w, !w
    gpu.wait [%a]
    async.yield
  }
- %two = async.execute {
+ %two = async.execute [%one] {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %g, %d : !w, !w
    gpu.wait [%a]
    async.yield
  }
  async.await %one : !async.token
  async.await %two : !async.token
  return
}
//// calls/token_returned: host race
func.func private @upload(%s: !tok, %d: !w, %h: !w) -> !tok {
  %a = gpu.memcpy async [%s] %d, %h : !w, !w
  return %a : !tok
}
func.func @main(%d: !w, %h: !w) {
  CONSTS
  %s = gpu.wait async
  %a = func.call @upload(%s, %d, %h) : (!tok, !w, !w) -> !tok
- memref.store %f, %h[%c0] : !w
- gpu.wait [%s]
+ gpu.wait [%s]
+ memref.store %f, %h[%c0] : !w
  return
}
//// calls/fresh_buffer_on_other_stream: device race
func.func private @make(%s: !tok, %h: !w) -> !w {
  %d, %t0 = gpu.alloc async [%s] () : !w
  %a = gpu.memcpy async [%t0] %d, %h : !w, !w
  return %d : !w
}
func.func @main(%h: !w, %g: !w) {
  CONSTS
  %s = gpu.wait async
- %t = gpu.wait async
  %d = func.call @make(%s, %h) : (!tok, !w) -> !w
- %b = gpu.memcpy async [%t] %g, %d : !w, !w
- gpu.wait [%s, %b]
+ %b = gpu.memcpy async [%s] %g, %d : !w, !w
+ gpu.wait [%b]
  %u = gpu.wait async
  %z = gpu.dealloc async [%u] %d : !w
  gpu.wait [%z]
  return
}
//// calls/freed_by_callee: use after dealloc
func.func private @release(%d: !w) {
  %s = gpu.wait async
  %a = gpu.dealloc async [%s] %d : !w
  gpu.wait [%a]
  return
}
func.func @main(%h: !w) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
  %a = gpu.memset async [%t0] %d, %f : !w, f32
  gpu.wait [%a]
- func.call @release(%d) : (!w) -> ()
  %t = gpu.wait async
  %b = gpu.memcpy async [%t] %h, %d : !w, !w
  gpu.wait [%b]
+ func.call @release(%d) : (!w) -> ()
  return
}
//// calls/helper_twice_on_two_streams: device race
func.func private @launch(%s: !tok, %x: !v) {
  CONSTS
  %a = gpu.launch_func async [%s] @k::@scale GRID args(%x : !v)
  return
}
func.func @main(%x: !v, %y: !v) {
  %s = gpu.wait async
  %t = gpu.wait async
  func.call @launch(%s, %x) : (!tok, !v) -> ()
- func.call @launch(%t, %x) : (!tok, !v) -> ()
+ func.call @launch(%t, %y) : (!tok, !v) -> ()
  gpu.wait [%s, %t]
  return
}
//// calls/blocking_helper_beside_copy: device race
func.func private @zero(%x: !w) {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memset async [%s] %x, %f : !w, f32
  gpu.wait [%a]
  return
}
func.func @main(%x: !w, %h: !w) {
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %h, %x : !w, !w
- func.call @zero(%x) : (!w) -> ()
- gpu.wait [%a]
+ gpu.wait [%a]
+ func.call @zero(%x) : (!w) -> ()
  return
}
//// global/table_changed_in_flight: host race
memref.global @lut : !w = uninitialized
func.func @main(%d: !w) {
  CONSTS
  %one = memref.get_global @lut : !w
  %two = memref.get_global @lut : !w
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %d, %one : !w, !w
+ gpu.wait [%a]
  memref.store %f, %two[%c8] : !w
- gpu.wait [%a]
  return
}
//// shape/expanded_row: device race
func.func @main(%d: !w) {
  CONSTS
  %m = memref.expand_shape %d [[0, 1]] output_shape [8, 8] : !w into memref<8x8xf32>
  %r = memref.subview %m[2, 0] [2, 8] [1, 1] : memref<8x8xf32> to memref<2x8xf32, strided<[8, 1], offset: 16>>
  %rt = memref.cast %r : memref<2x8xf32, strided<[8, 1], offset: 16>> to !tile
- %p = memref.subview %d[24] [16] [1] : !w to memref<16xf32, strided<[1], offset: 24>>
- %pp = memref.cast %p : memref<16xf32, strided<[1], offset: 24>> to !part
+ %p = memref.subview %d[32] [16] [1] : !w to memref<16xf32, strided<[1], offset: 32>>
+ %pp = memref.cast %p : memref<16xf32, strided<[1], offset: 32>> to !part
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%rt : !tile, %f : f32)
  %b = gpu.launch_func async [%t] @k::@fill_part GRID args(%pp : !part, %f : f32)
  gpu.wait [%a, %b]
  return
}
//// shape/transposed_element: host race
func.func @main(%m: memref<8x8xf32>) -> f32 {
  CONSTS
  %tr = memref.transpose %m (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
  %r = memref.subview %m[1, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 8>>
  %rt = memref.cast %r : memref<1x8xf32, strided<[8, 1], offset: 8>> to !tile
  %s = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%rt : !tile, %f : f32)
- %x = memref.load %tr[%c8m1, %c1] : memref<8x8xf32, strided<[1, 8]>>
+ %x = memref.load %tr[%c1, %c8m1] : memref<8x8xf32, strided<[1, 8]>>
  gpu.wait [%a]
  return %x : f32
}
//// shape/collapsed_on_host: host race
func.func @main(%m: memref<8x8xf32>, %h: memref<8x8xf32>) {
  CONSTS
  %flat = memref.collapse_shape %h [[0, 1]] : memref<8x8xf32> into !w
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %m, %h : memref<8x8xf32>, memref<8x8xf32>
- linalg.fill ins(%f : f32) outs(%flat : !w)
  gpu.wait [%a]
+ linalg.fill ins(%f : f32) outs(%flat : !w)
  return
}
//// shape/reinterpreted_half: device race
func.func @main(%d: !w) {
  CONSTS
  %hi = memref.reinterpret_cast %d to offset: [32], sizes: [32], strides: [1] : !w to memref<32xf32, strided<[1], offset: 32>>
- %p = memref.subview %d[16] [32] [1] : !w to memref<32xf32, strided<[1], offset: 16>>
- %pp = memref.cast %p : memref<32xf32, strided<[1], offset: 16>> to !part
+ %p = memref.subview %d[0] [32] [1] : !w to memref<32xf32, strided<[1]>>
+ %pp = memref.cast %p : memref<32xf32, strided<[1]>> to !part
  %hp = memref.cast %hi : memref<32xf32, strided<[1], offset: 32>> to !part
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_part GRID args(%hp : !part, %f : f32)
  %b = gpu.launch_func async [%t] @k::@fill_part GRID args(%pp : !part, %f : f32)
  gpu.wait [%a, %b]
  return
}
//// inline/host_reads: host race
func.func @main(%d: !w) -> f32 {
  CONSTS
  %s = gpu.wait async
  %a = gpu.launch async [%s] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    memref.store %f, %d[%tx] : !w
    gpu.terminator
  }
+ gpu.wait [%a]
  %r = memref.load %d[%c8] : !w
- gpu.wait [%a]
  return %r : f32
}
//// inline/two_streams: device race
func.func @main(%d: !w, %e: !w) {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch async [%s] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    memref.store %f, %d[%tx] : !w
    gpu.terminator
  }
- %b = gpu.memcpy async [%t] %e, %d : !w, !w
- gpu.wait [%a, %b]
+ %b = gpu.memcpy async [%a] %e, %d : !w, !w
+ gpu.wait [%b, %t]
  return
}
//// host_register/mapped_read: host race
func.func @main(%h: !v) -> f32 {
  CONSTS
  %u = memref.cast %h : !v to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  %s = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@scale GRID args(%h : !v)
- %r = memref.load %h[%c0] : !v
- gpu.wait [%a]
+ gpu.wait [%a]
+ %r = memref.load %h[%c0] : !v
  gpu.host_unregister %u : memref<*xf32>
  return %r : f32
}
//// host_register/printed: host race
func.func @main() {
  CONSTS
  %h = memref.alloc() : !w
  linalg.fill ins(%f : f32) outs(%h : !w)
  %u = memref.cast %h : !w to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  %x = memref.cast %h : !w to !v
  %s = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@scale GRID args(%x : !v)
+ gpu.wait [%a]
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
- gpu.wait [%a]
  gpu.host_unregister %u : memref<*xf32>
  memref.dealloc %h : !w
  return
}
//// events/recorded_too_early: device race
func.func @main(%x: !w, %y: !w, %h: !w) {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memset async [%s] %x, %f : !w, f32
  %b = gpu.memcpy async [%a] %x, %h : !w, !w
- %j = gpu.wait async [%a]
+ %j = gpu.wait async [%b]
  %c = gpu.memcpy async [%j] %y, %x : !w, !w
  gpu.wait [%b, %c]
  return
}
//// dealloc/while_kernel_runs: use after dealloc
func.func @main(%h: !v, %n: index) {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] (%n) : !v
  %a = gpu.memcpy async [%t0] %d, %h : !v, !v
  %b = gpu.launch_func async [%a] @k::@scale GRID args(%d : !v)
- %z = gpu.dealloc async [%t] %d : !v
- gpu.wait [%b, %z]
+ gpu.wait [%b]
+ %z = gpu.dealloc async [%t] %d : !v
+ gpu.wait [%z]
  return
}
//// dealloc/in_branch_and_after: use after dealloc
func.func @main(%h: !w, %c: i1) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
  %a = gpu.memcpy async [%t0] %d, %h : !w, !w
  scf.if %c {
-   %z = gpu.dealloc async [%a] %d : !w
+   %z = gpu.memset async [%a] %d, %f : !w, f32
  }
  %y = gpu.dealloc async [%a] %d : !w
  gpu.wait [%s]
  return
}
//// leaks/early_return: leak
func.func @main(%h: !w, %c: i1) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
  %a = gpu.memcpy async [%t0] %d, %h : !w, !w
  cf.cond_br %c, ^work, ^out
^work:
  %b = gpu.memcpy async [%a] %h, %d : !w, !w
- %z = gpu.dealloc async [%b] %d : !w
  cf.br ^out
^out:
+ %z = gpu.dealloc async [%a] %d : !w
  gpu.wait [%s]
  return
}
//// leaks/stream_in_one_branch: leak
func.func @main(%h: !w, %d: !w, %c: i1) {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %d, %h : !w, !w
- scf.if %c {
-   gpu.wait [%a]
- }
+ gpu.wait [%a]
  return
}
//// leaks/joined_in_loop: leak
func.func @main(%h: !w, %d: !w, %e: !w) {
  CONSTS
  scf.for %i = %c0 to %c8 step %c1 {
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.memcpy async [%s] %d, %h : !w, !w
    %j = gpu.wait async [%t, %a]
    %b = gpu.memcpy async [%j] %e, %d : !w, !w
-   gpu.wait [%b]
+   gpu.wait [%b, %a, %t]
  }
  return
}
//// leaks/buffer_per_round: leak
func.func @main(%h: !w) {
  CONSTS
  scf.for %i = %c0 to %c8 step %c1 {
    %s = gpu.wait async
    %d, %t0 = gpu.alloc async [%s] () : !w
    %a = gpu.memcpy async [%t0] %d, %h : !w, !w
    %b = gpu.memcpy async [%a] %h, %d : !w, !w
-   gpu.wait [%b]
+   %z = gpu.dealloc async [%b] %d : !w
+   gpu.wait [%z]
  }
  return
}
//// leaks/event_on_one_path: leak
func.func @main(%d: !w, %h: !w, %c: i1) {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memset async [%s] %d, %f : !w, f32
- scf.if %c {
-   %j = gpu.wait async [%a]
-   %b = gpu.memcpy async [%j] %h, %d : !w, !w
-   gpu.wait [%b]
- }
+ %j = gpu.wait async [%a]
+ scf.if %c {
+   %b = gpu.memcpy async [%j] %h, %d : !w, !w
+ }
+ gpu.wait [%j]
  gpu.wait [%s]
  return
}
//// uninitialized/set_in_one_branch: uninitialized
func.func @main(%h: !w, %c: i1) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
- scf.if %c {
-   %a = gpu.memset async [%t0] %d, %f : !w, f32
- }
+ %a = gpu.memset async [%t0] %d, %f : !w, f32
  %b = gpu.memcpy async [%t0] %h, %d : !w, !w
  %z = gpu.dealloc async [%b] %d : !w
  gpu.wait [%z]
  return
}
//// uninitialized/accumulator: uninitialized
func.func @main(%x: !v, %h: memref<f32>) {
  CONSTS
  %s = gpu.wait async
  %r, %t0 = gpu.alloc async [%s] () : memref<f32>
- %a = gpu.launch_func async [%t0] @k::@reduce GRID args(%x : !v, %r : memref<f32>)
+ %m = gpu.memset async [%t0] %r, %f : memref<f32>, f32
+ %a = gpu.launch_func async [%m] @k::@reduce GRID args(%x : !v, %r : memref<f32>)
  %b = gpu.memcpy async [%a] %h, %r : memref<f32>, memref<f32>
  %z = gpu.dealloc async [%b] %r : memref<f32>
  gpu.wait [%z]
  return
}
//// chosen/one_of_two_awaited: host race
func.func @main(%d: !w, %h: !w, %c: i1) -> f32 {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %q = arith.select %c, %s, %t : !tok
  %a = gpu.memcpy async [%q] %h, %d : !w, !w
- gpu.wait [%s]
+ gpu.wait [%s, %t]
  %r = memref.load %h[%c1] : !w
- gpu.wait [%t]
  return %r : f32
}
//// chosen/index_switch: host race
func.func @main(%d: !w, %h: !w, %which: index) -> f32 {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  scf.index_switch %which
  case 0 {
    %a = gpu.memcpy async [%s] %h, %d : !w, !w
    scf.yield
  }
  case 1 {
    %a = gpu.memset async [%t] %h, %f : !w, f32
    scf.yield
  }
  default {
  }
- gpu.wait [%s]
+ gpu.wait [%s, %t]
  %r = memref.load %h[%c1] : !w
- gpu.wait [%t]
  return %r : f32
}
//// parts/element_of_symbolic_part: host race
func.func @main(%h: !v, %i: index) -> f32 {
  CONSTS
  %p0 = memref.subview %h[%i] [16] [1] : !v to memref<16xf32, strided<[1], offset: ?>>
  %p = memref.cast %p0 : memref<16xf32, strided<[1], offset: ?>> to !part
- %at = arith.addi %i, %c8 : index
+ %at = arith.addi %i, %c64 : index
  %s = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_part GRID args(%p : !part, %f : f32)
  %r = memref.load %h[%at] : !v
  gpu.wait [%a]
  return %r : f32
}
//// parts/affine_tiles: device race
func.func @main(%d: !v, %tiles: index) {
  CONSTS
  scf.for %i = %c0 to %tiles step %c1 {
    %at = affine.apply affine_map<(i) -> (i * 32)>(%i)
-   %next = affine.apply affine_map<(i) -> (i * 32 + 16)>(%i)
+   %next = affine.apply affine_map<(i) -> (i * 32 + 32)>(%i)
    %p0 = memref.subview %d[%at] [32] [1] : !v to memref<32xf32, strided<[1], offset: ?>>
    %q0 = memref.subview %d[%next] [32] [1] : !v to memref<32xf32, strided<[1], offset: ?>>
    %p = memref.cast %p0 : memref<32xf32, strided<[1], offset: ?>> to !part
    %q = memref.cast %q0 : memref<32xf32, strided<[1], offset: ?>> to !part
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill_part GRID args(%p : !part, %f : f32)
    %b = gpu.launch_func async [%t] @k::@fill_part GRID args(%q : !part, %f : f32)
    gpu.wait [%a, %b]
  }
  return
}
//// calls/freed_by_callee_on_our_stream: use after dealloc
func.func private @release(%d: !w, %s: !tok) {
  %t = gpu.dealloc async [%s] %d : !w
  return
}
func.func @main(%h: !w) {
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
  %t1 = gpu.memcpy async [%t0] %d, %h : !w, !w
+ %t2 = gpu.memcpy async [%t1] %h, %d : !w, !w
  call @release(%d, %s) : (!w, !tok) -> ()
- %t2 = gpu.memcpy async [%t1] %h, %d : !w, !w
  gpu.wait [%s]
  return
}
//// leaks/buffer_made_by_callee: leak
func.func private @upload(%h: !w, %s: !tok) -> !w {
  %d, %t0 = gpu.alloc async [%s] () : !w
  %t1 = gpu.memcpy async [%t0] %d, %h : !w, !w
  return %d : !w
}
func.func @main(%h: !w, %o: !w) {
  %s = gpu.wait async
  %d = call @upload(%h, %s) : (!w, !tok) -> !w
  %t = gpu.memcpy async [%s] %o, %d : !w, !w
+ %e = gpu.dealloc async [%t] %d : !w
  gpu.wait [%s]
  return
}
//// leaks/buffer_of_the_round_before: leak
func.func @grow(%h: !v, %n: index) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] (%c1) : !v
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %d) -> (!v) {
+   %e = gpu.dealloc async [%s] %old : !v
    %new, %t1 = gpu.alloc async [%s] (%i) : !v
    %t2 = gpu.memcpy async [%t1] %new, %h : !v, !v
    scf.yield %new : !v
  }
  %e1 = gpu.dealloc async [%s] %r : !v
  gpu.wait [%s]
  return
}
//// dealloc/read_of_the_round_before: use after dealloc
func.func @grow(%h: !v, %n: index) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] (%n) : !v
  %t1 = gpu.memcpy async [%t0] %d, %h : !v, !v
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %d) -> (!v) {
    %new, %u0 = gpu.alloc async [%s] (%n) : !v
-   %u1 = gpu.dealloc async [%u0] %old : !v
-   %u2 = gpu.memcpy async [%u1] %new, %old : !v, !v
+   %u1 = gpu.memcpy async [%u0] %new, %old : !v, !v
+   %u2 = gpu.dealloc async [%u1] %old : !v
    scf.yield %new : !v
  }
  %e = gpu.dealloc async [%s] %r : !v
  gpu.wait [%s]
  return
}
//// parts/symbolic_halves: device race
func.func @main(%m: !v, %n: index) {
  CONSTS
- %mid = arith.subi %n, %c1 : index
+ %mid = arith.addi %n, %c1 : index
  %a0 = memref.subview %m[0] [%n] [1] : !v to memref<?xf32, strided<[1]>>
  %a = memref.cast %a0 : memref<?xf32, strided<[1]>> to !part
  %b = memref.subview %m[%mid] [%n] [1] : !v to !part
  %s = gpu.wait async
  %t = gpu.wait async
  %x = gpu.launch_func async [%s] @k::@fill_part GRID args(%a : !part, %f : f32)
  %y = gpu.launch_func async [%t] @k::@fill_part GRID args(%b : !part, %f : f32)
  gpu.wait [%x, %y]
  return
}
//// calls/loop_in_callee: host race
func.func private @iterate(%s: !tok, %a: !v, %b: !v, %n: index) {
  CONSTS
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (!v, !v) {
    %k = gpu.launch_func async [%s] @k::@copy GRID args(%p : !v, %q : !v)
    scf.yield %q, %p : !v, !v
  }
  return
}
func.func @main(%a: !v, %b: !v, %n: index) -> f32 {
  %s = gpu.wait async
  call @iterate(%s, %a, %b, %n) : (!tok, !v, !v, index) -> ()
+ gpu.wait [%s]
  %x = memref.load %b[%n] : !v
- gpu.wait [%s]
  return %x : f32
}
//// calls/callee_chooses: host race
func.func private @either(%s: !tok, %c: i1, %a: !v, %b: !v) {
  CONSTS
  %m = arith.select %c, %a, %b : !v
  %k = gpu.launch_func async [%s] @k::@scale GRID args(%m : !v)
  return
}
func.func @main(%c: i1, %a: !v, %b: !v, %n: index) -> f32 {
  %s = gpu.wait async
  call @either(%s, %c, %a, %b) : (!tok, i1, !v, !v) -> ()
+ gpu.wait [%s]
  %x = memref.load %a[%n] : !v
- gpu.wait [%s]
  return %x : f32
}
//// calls/token_handed_on: host race
func.func private @inner(%s: !tok, %m: !v) -> !tok {
  CONSTS
  %k = gpu.launch_func async [%s] @k::@scale GRID args(%m : !v)
  return %k : !tok
}
func.func private @outer(%m: !v, %s: !tok) {
  %t = call @inner(%s, %m) : (!tok, !v) -> !tok
  return
}
func.func @main(%m: !v, %n: index) -> f32 {
  %s = gpu.wait async
  call @outer(%m, %s) : (!v, !tok) -> ()
+ gpu.wait [%s]
  %x = memref.load %m[%n] : !v
- gpu.wait [%s]
  return %x : f32
}
//// calls/callee_calls_itself: host race
func.func private @walk(%n: index, %h: !w, %g: !w) {
  CONSTS
  %stop = arith.cmpi eq, %n, %c0 : index
  scf.if %stop {
  } else {
    memref.store %f, %h[%c0] : !w
    %m = arith.subi %n, %c1 : index
    func.call @walk(%m, %g, %h) : (index, !w, !w) -> ()
  }
  return
}
func.func @main(%n: index, %h: !w, %g: !w, %d: !w) {
  %s = gpu.wait async
  %t = gpu.memcpy async [%s] %d, %g : !w, !w
+ gpu.wait [%t]
  call @walk(%n, %h, %g) : (index, !w, !w) -> ()
- gpu.wait [%t]
  return
}
//// leaks/buffer_given_to_helper: leak
func.func private @use(%s: !tok, %m: !v) {
  CONSTS
  %k = gpu.launch_func async [%s] @k::@fill GRID args(%m : !v, %f : f32)
  return
}
func.func @main(%h: !v, %n: index) {
  %s = gpu.wait async
  %a, %t0 = gpu.alloc async [%s] (%n) : !v
  call @use(%s, %a) : (!tok, !v) -> ()
  %u = gpu.memcpy async [%s] %h, %a : !v, !v
+ %e = gpu.dealloc async [%s] %a : !v
  gpu.wait [%s]
  return
}
//// parts/tile_of_unknown_rows: device race
func.func @main(%m: !mat, %i: index, %j: index) {
  CONSTS
- %j1 = arith.addi %j, %c8m1 : index
+ %j1 = arith.addi %j, %c8 : index
  %a0 = memref.subview %m[%i, %j] [8, 8] [1, 1] : !mat to memref<8x8xf32, strided<[?, 1], offset: ?>>
  %b0 = memref.subview %m[%i, %j1] [8, 8] [1, 1] : !mat to memref<8x8xf32, strided<[?, 1], offset: ?>>
  %a = memref.cast %a0 : memref<8x8xf32, strided<[?, 1], offset: ?>> to !tile
  %b = memref.cast %b0 : memref<8x8xf32, strided<[?, 1], offset: ?>> to !tile
  %s = gpu.wait async
  %t = gpu.wait async
  %x = gpu.launch_func async [%s] @k::@fill_tile GRID args(%a : !tile, %f : f32)
  %y = gpu.launch_func async [%t] @k::@fill_tile GRID args(%b : !tile, %f : f32)
  gpu.wait [%x, %y]
  return
}
