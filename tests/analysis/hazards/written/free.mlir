//// torch/forward
func.func @forward(%in: !v, %w: !v, %out: !v, %n: index) -> f32 {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] (%n) : !v
  %e, %t1 = gpu.alloc async [%t0] (%n) : !v
  %t2 = gpu.memcpy async [%t1] %d, %in : !v, !v
  %t3 = gpu.memcpy async [%t2] %e, %w : !v, !v
  %t4 = gpu.launch_func async [%t3] @k::@add GRID args(%d : !v, %e : !v, %d : !v)
  %t5 = gpu.memcpy async [%t4] %out, %d : !v, !v
  %t6 = gpu.dealloc async [%t5] %d : !v
  %t7 = gpu.dealloc async [%t6] %e : !v
  gpu.wait [%t7]
  %x = memref.load %out[%c0] : !v
  return %x : f32
}
//// torch/two_inputs_two_streams
func.func @forward(%x: !v, %y: !v, %hx: !v, %hy: !v, %z: !v) {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.memcpy async [%s] %x, %hx : !v, !v
  %b = gpu.memcpy async [%t] %y, %hy : !v, !v
  %j = gpu.wait async [%a, %b]
  %c = gpu.launch_func async [%j] @k::@add GRID args(%x : !v, %y : !v, %z : !v)
  gpu.wait [%c, %a, %b]
  return
}
//// torch/shared_weight
func.func @forward(%w: !v, %x: !v, %y: !v, %p: !v, %q: !v) -> f32 {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@add GRID args(%w : !v, %x : !v, %p : !v)
  %b = gpu.launch_func async [%t] @k::@add GRID args(%w : !v, %y : !v, %q : !v)
  %r = memref.load %w[%c0] : !v
  gpu.wait [%a, %b]
  return %r : f32
}
//// torch/attention_heads
func.func @heads(%q: !mat, %k: !mat, %v: !mat, %o0: !mat, %o1: !mat) {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@gemm GRID args(%q : !mat, %k : !mat, %o0 : !mat)
  %b = gpu.launch_func async [%t] @k::@gemm GRID args(%q : !mat, %v : !mat, %o1 : !mat)
  gpu.wait [%a, %b]
  return
}
//// torch/linalg_before_and_after
func.func @main(%h: !w, %d: !w, %o: !w) {
  CONSTS
  linalg.fill ins(%f : f32) outs(%h : !w)
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %d, %h : !w, !w
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%h : !w) outs(%o : !w) {
  ^bb0(%x: f32, %y: f32):
    %m = arith.addf %x, %f : f32
    linalg.yield %m : f32
  }
  gpu.wait [%a]
  linalg.fill ins(%f : f32) outs(%h : !w)
  return
}
//// iree/arena
func.func @dispatch(%h: !w) {
  CONSTS
  %o0 = arith.constant 0 : index
  %o1 = arith.constant 256 : index
  %o2 = arith.constant 512 : index
  %s = gpu.wait async
  %arena, %t0 = gpu.alloc async [%s] () : memref<4096xi8>
  gpu.wait [%t0]
  %x = memref.view %arena[%o0][] : memref<4096xi8> to !w
  %y = memref.view %arena[%o1][] : memref<4096xi8> to !w
  %z = memref.view %arena[%o2][] : memref<4096xi8> to memref<8x8xf32>
  %u = gpu.wait async
  %v = gpu.wait async
  %q = gpu.wait async
  %a = gpu.memcpy async [%u] %x, %h : !w, !w
  %b = gpu.memcpy async [%v] %y, %h : !w, !w
  %c = gpu.memset async [%q] %z, %f : memref<8x8xf32>, f32
  gpu.wait [%a, %b, %c]
  %r = gpu.wait async
  %d = gpu.dealloc async [%r] %arena : memref<4096xi8>
  gpu.wait [%d]
  return
}
//// iree/arena_symbolic
func.func @dispatch(%arena: memref<?xi8>, %base: index, %h: !w) {
  CONSTS
  %c256 = arith.constant 256 : index
  %next = arith.addi %base, %c256 : index
  %x = memref.view %arena[%base][] : memref<?xi8> to !w
  %y = memref.view %arena[%next][] : memref<?xi8> to !w
  %u = gpu.wait async
  %v = gpu.wait async
  %a = gpu.memcpy async [%u] %x, %h : !w, !w
  %b = gpu.memcpy async [%v] %y, %h : !w, !w
  gpu.wait [%a, %b]
  return
}
//// iree/arena_unknown_offsets
func.func @dispatch(%arena: memref<?xi8>, %o: index, %p: index, %h: !w) {
  CONSTS
  %x = memref.view %arena[%o][] : memref<?xi8> to !w
  %y = memref.view %arena[%p][] : memref<?xi8> to !w
  %u = gpu.wait async
  %v = gpu.wait async
  %a = gpu.memcpy async [%u] %x, %h : !w, !w
  %b = gpu.memcpy async [%v] %y, %h : !w, !w
  gpu.wait [%a, %b]
  return
}
//// iree/timeline
func.func @run(%a: !w, %b: !w, %c: !w, %d: !w) {
  CONSTS
  %s = gpu.wait async
  %t1 = gpu.memcpy async [%s] %b, %a : !w, !w
  %r = gpu.wait async [%t1]
  %t2 = gpu.memcpy async [%r] %c, %b : !w, !w
  %q = gpu.wait async [%t2]
  %t3 = gpu.memcpy async [%q] %d, %c : !w, !w
  %t4 = gpu.memset async [%t3] %b, %f : !w, f32
  gpu.wait [%t4]
  %x = memref.load %b[%c0] : !w
  gpu.wait [%t1, %t2]
  return
}
//// halo/interior_and_edges
func.func @step(%g: memref<64x64xf32>, %top: memref<1x64xf32>, %bottom: memref<1x64xf32>) {
  CONSTS
  %i = memref.subview %g[1, 0] [62, 64] [1, 1] : memref<64x64xf32> to memref<62x64xf32, strided<[64, 1], offset: 64>>
  %e = memref.subview %g[0, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<1x64xf32, strided<[64, 1]>>
  %l = memref.subview %g[63, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<1x64xf32, strided<[64, 1], offset: 4032>>
  %it = memref.cast %i : memref<62x64xf32, strided<[64, 1], offset: 64>> to !tile
  %et = memref.cast %e : memref<1x64xf32, strided<[64, 1]>> to !tile
  %lt = memref.cast %l : memref<1x64xf32, strided<[64, 1], offset: 4032>> to !tile
  %to = memref.cast %top : memref<1x64xf32> to !tile
  %bo = memref.cast %bottom : memref<1x64xf32> to !tile
  %s = gpu.wait async
  %t = gpu.wait async
  %u = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%it : !tile, %f : f32)
  %b = gpu.launch_func async [%t] @k::@copy_tile GRID args(%et : !tile, %to : !tile)
  %c = gpu.launch_func async [%u] @k::@copy_tile GRID args(%lt : !tile, %bo : !tile)
  %x = memref.load %g[%c0, %c1] : memref<64x64xf32>
  gpu.wait [%a, %b, %c]
  return
}
//// halo/time_loop
func.func @run(%u: !mat, %w: !mat, %host: !mat, %steps: index) {
  CONSTS
  %r:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%old = %u, %new = %w) -> (!mat, !mat) {
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@stencil GRID args(%old : !mat, %new : !mat)
    %b = gpu.memcpy async [%t] %host, %old : !mat, !mat
    gpu.wait [%a, %b]
    scf.yield %new, %old : !mat, !mat
  }
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %host, %r#0 : !mat, !mat
  gpu.wait [%a]
  %x = memref.load %host[%c0, %c0] : !mat
  return
}
//// halo/one_stream_no_waits
func.func @run(%u: !mat, %w: !mat, %host: !mat, %steps: index) {
  CONSTS
  %s = gpu.wait async
  scf.for %i = %c0 to %steps step %c1 {
    %a = gpu.launch_func async [%s] @k::@stencil GRID args(%u : !mat, %w : !mat)
    %b = gpu.launch_func async [%a] @k::@stencil GRID args(%w : !mat, %u : !mat)
  }
  %c = gpu.memcpy async [%s] %host, %u : !mat, !mat
  gpu.wait [%c]
  %x = memref.load %host[%c0, %c0] : !mat
  return
}
//// halo/exchange_symbolic
func.func @step(%g: memref<?x64xf32>, %row: index) {
  CONSTS
  %below = arith.addi %row, %c1 : index
  %p = memref.subview %g[%row, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  %q = memref.subview %g[%below, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  %pt = memref.cast %p : memref<1x64xf32, strided<[64, 1], offset: ?>> to !tile
  %qt = memref.cast %q : memref<1x64xf32, strided<[64, 1], offset: ?>> to !tile
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%pt : !tile, %f : f32)
  %b = gpu.launch_func async [%t] @k::@fill_tile GRID args(%qt : !tile, %f : f32)
  gpu.wait [%a, %b]
  return
}
//// double_buffer/two_stages
func.func @main(%big: !v, %d0: !w, %d1: !w, %tiles: index) {
  CONSTS
  %c2 = arith.constant 2 : index
  %h0 = memref.alloc() : !w
  %h1 = memref.alloc() : !w
  scf.for %i = %c0 to %tiles step %c2 {
    %s = gpu.wait async
    %t = gpu.wait async
    %j = arith.addi %i, %c1 : index
    %p = arith.muli %i, %c64 : index
    %q = arith.muli %j, %c64 : index
    %x = memref.subview %big[%p] [64] [1] : !v to memref<64xf32, strided<[1], offset: ?>>
    %y = memref.subview %big[%q] [64] [1] : !v to memref<64xf32, strided<[1], offset: ?>>
    memref.copy %x, %h0 : memref<64xf32, strided<[1], offset: ?>> to !w
    %a = gpu.memcpy async [%s] %d0, %h0 : !w, !w
    memref.copy %y, %h1 : memref<64xf32, strided<[1], offset: ?>> to !w
    %b = gpu.memcpy async [%t] %d1, %h1 : !w, !w
    gpu.wait [%a, %b]
  }
  memref.dealloc %h0 : !w
  memref.dealloc %h1 : !w
  return
}
//// double_buffer/upload_next_while_computing
func.func @main(%x: !v, %y: !v, %h: !v, %n: index) {
  CONSTS
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%cur = %x, %nxt = %y) -> (!v, !v) {
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@scale GRID args(%cur : !v)
    %b = gpu.memcpy async [%t] %nxt, %h : !v, !v
    gpu.wait [%a, %b]
    scf.yield %nxt, %cur : !v, !v
  }
  return
}
//// double_buffer/freed_through_results
func.func @main(%h: !w, %n: index) {
  CONSTS
  %s0 = gpu.wait async
  %x, %t0 = gpu.alloc async [%s0] () : !w
  %y, %t1 = gpu.alloc async [%t0] () : !w
  %m = gpu.memset async [%t1] %x, %f : !w, f32
  %m2 = gpu.memset async [%m] %y, %f : !w, f32
  gpu.wait [%m2]
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%cur = %x, %nxt = %y) -> (!w, !w) {
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.memcpy async [%s] %nxt, %h : !w, !w
    %b = gpu.memset async [%t] %cur, %f : !w, f32
    gpu.wait [%a, %b]
    scf.yield %nxt, %cur : !w, !w
  }
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %h, %r#0 : !w, !w
  %b = gpu.dealloc async [%a] %r#0 : !w
  %c = gpu.dealloc async [%b] %r#1 : !w
  gpu.wait [%c]
  return
}
//// double_buffer/token_carried
func.func @main(%x: !w, %h: !w, %n: index) -> f32 {
  CONSTS
  %s = gpu.wait async
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s) -> (!tok) {
    %a = gpu.memcpy async [%t] %x, %h : !w, !w
    %b = gpu.memset async [%a] %x, %f : !w, f32
    scf.yield %b : !tok
  }
  gpu.wait [%s]
  %r = memref.load %x[%c0] : !w
  return %r : f32
}
//// double_buffer/streams_alternate
func.func @main(%x: !w, %y: !w, %h: !w, %n: index) -> f32 {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %s, %q = %t, %c = %x, %d = %y) -> (!tok, !tok, !w, !w) {
    %a = gpu.memcpy async [%p] %c, %h : !w, !w
    scf.yield %q, %a, %d, %c : !tok, !tok, !w, !w
  }
  gpu.wait [%s, %t]
  %v = memref.load %x[%c0] : !w
  return %v : f32
}
//// while/residual
func.func @solve(%x: !v, %r: memref<f32>, %hr: memref<f32>, %eps: f32) {
  CONSTS
  scf.while : () -> () {
    %s = gpu.wait async
    %m = gpu.memset async [%s] %r, %f : memref<f32>, f32
    %a = gpu.launch_func async [%m] @k::@reduce GRID args(%x : !v, %r : memref<f32>)
    %b = gpu.memcpy async [%a] %hr, %r : memref<f32>, memref<f32>
    gpu.wait [%b]
    %now = memref.load %hr[] : memref<f32>
    %go = arith.cmpf ogt, %now, %eps : f32
    scf.condition(%go)
  } do {
    memref.store %f, %hr[] : memref<f32>
    scf.yield
  }
  return
}
//// while/buffers_swap
func.func @solve(%x: !v, %y: !v, %n: index) {
  CONSTS
  %r:3 = scf.while (%p = %x, %q = %y, %i = %c0) : (!v, !v, index) -> (!v, !v, index) {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %p, %q, %i : !v, !v, index
  } do {
  ^bb0(%p: !v, %q: !v, %i: index):
    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@copy GRID args(%p : !v, %q : !v)
    gpu.wait [%a]
    %next = arith.addi %i, %c1 : index
    memref.store %f, %q[%i] : !v
    scf.yield %q, %p, %next : !v, !v, index
  }
  return
}
//// async/pipeline
func.func @main(%d: !w, %h: !w, %g: !w) -> f32 {
  CONSTS
  %one = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %d, %h : !w, !w
    gpu.wait [%a]
    async.yield
  }
  %two = async.execute [%one] {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %g, %d : !w, !w
    gpu.wait [%a]
    async.yield
  }
  async.await %two : !async.token
  %r = memref.load %g[%c0] : !w
  return %r : f32
}
//// async/group
func.func @main(%d: !w, %e: !w, %h: !w) -> f32 {
  CONSTS
  %c2 = arith.constant 2 : index
  %group = async.create_group %c2 : !async.group
  %one = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %d, %h : !w, !w
    gpu.wait [%a]
    async.yield
  }
  %two = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %e, %h : !w, !w
    gpu.wait [%a]
    async.yield
  }
  %i = async.add_to_group %one, %group : !async.token
  %j = async.add_to_group %two, %group : !async.token
  async.await_all %group
  %r = memref.load %d[%c0] : !w
  %q = memref.load %e[%c0] : !w
  return %r : f32
}
//// async/host_works_meanwhile
func.func @main(%d: !w, %h: !w, %o: !w) -> f32 {
  CONSTS
  %one = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %d, %h : !w, !w
    gpu.wait [%a]
    async.yield
  }
  linalg.fill ins(%f : f32) outs(%o : !w)
  %x = memref.load %h[%c0] : !w
  async.await %one : !async.token
  memref.store %x, %h[%c1] : !w
  return %x : f32
}
//// calls/token_returned
func.func private @upload(%s: !tok, %d: !w, %h: !w) -> !tok {
  %a = gpu.memcpy async [%s] %d, %h : !w, !w
  return %a : !tok
}
func.func @main(%d: !w, %h: !w, %g: !w) {
  CONSTS
  %s = gpu.wait async
  %a = func.call @upload(%s, %d, %h) : (!tok, !w, !w) -> !tok
  %b = gpu.memcpy async [%a] %g, %d : !w, !w
  gpu.wait [%s]
  memref.store %f, %h[%c0] : !w
  %x = memref.load %g[%c0] : !w
  return
}
//// calls/make_and_release
func.func private @make(%h: !w) -> !w {
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
  %a = gpu.memcpy async [%t0] %d, %h : !w, !w
  gpu.wait [%a]
  return %d : !w
}
func.func private @release(%d: !w) {
  %s = gpu.wait async
  %a = gpu.dealloc async [%s] %d : !w
  gpu.wait [%a]
  return
}
func.func @main(%h: !w, %g: !w) {
  CONSTS
  %x = func.call @make(%h) : (!w) -> !w
  %y = func.call @make(%g) : (!w) -> !w
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.memcpy async [%s] %h, %x : !w, !w
  %b = gpu.memset async [%t] %y, %f : !w, f32
  gpu.wait [%a, %b]
  func.call @release(%x) : (!w) -> ()
  func.call @release(%y) : (!w) -> ()
  return
}
//// calls/helper_on_two_buffers
func.func private @launch(%s: !tok, %x: !v, %y: !v) {
  CONSTS
  %a = gpu.launch_func async [%s] @k::@copy GRID args(%x : !v, %y : !v)
  return
}
func.func @main(%x: !v, %y: !v, %z: !v) {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  func.call @launch(%s, %x, %y) : (!tok, !v, !v) -> ()
  func.call @launch(%t, %x, %z) : (!tok, !v, !v) -> ()
  %r = memref.load %x[%c0] : !v
  gpu.wait [%s, %t]
  memref.store %f, %x[%c0] : !v
  return
}
//// calls/blocking_helper
func.func private @zero(%x: !w) {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memset async [%s] %x, %f : !w, f32
  gpu.wait [%a]
  return
}
func.func @main(%x: !w, %y: !w, %h: !w) {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %h, %x : !w, !w
  func.call @zero(%y) : (!w) -> ()
  %v = memref.load %y[%c0] : !w
  gpu.wait [%a]
  func.call @zero(%x) : (!w) -> ()
  %q = memref.load %x[%c0] : !w
  return
}
//// calls/reader_of_host_data
func.func private @sum(%x: !w) -> f32 {
  CONSTS
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %f) -> (f32) {
    %v = memref.load %x[%i] : !w
    %a = arith.addf %acc, %v : f32
    scf.yield %a : f32
  }
  return %r : f32
}
func.func @main(%d: !w, %h: !w) -> f32 {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %d, %h : !w, !w
  %r = func.call @sum(%h) : (!w) -> f32
  gpu.wait [%a]
  return %r : f32
}
//// calls/identity
func.func private @same(%x: !w) -> !w {
  return %x : !w
}
func.func @main(%d: !w, %h: !w) -> f32 {
  CONSTS
  %p = func.call @same(%d) : (!w) -> !w
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %d, %h : !w, !w
  %b = gpu.memset async [%a] %p, %f : !w, f32
  gpu.wait [%b]
  %r = memref.load %p[%c0] : !w
  return %r : f32
}
//// calls/recursive
func.func private @fill(%n: index, %x: !w) {
  CONSTS
  %more = arith.cmpi sgt, %n, %c0 : index
  scf.if %more {
    %s = gpu.wait async
    %a = gpu.memset async [%s] %x, %f : !w, f32
    gpu.wait [%a]
    %less = arith.subi %n, %c1 : index
    func.call @fill(%less, %x) : (index, !w) -> ()
  }
  return
}
func.func @main(%x: !w) -> f32 {
  CONSTS
  func.call @fill(%c8, %x) : (index, !w) -> ()
  %r = memref.load %x[%c0] : !w
  return %r : f32
}
//// global/constant_table
memref.global "private" constant @lut : !w = dense<1.0>
func.func @main(%d: !w, %e: !w) -> f32 {
  CONSTS
  %one = memref.get_global @lut : !w
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.memcpy async [%s] %d, %one : !w, !w
  %b = gpu.memcpy async [%t] %e, %one : !w, !w
  %r = memref.load %one[%c8] : !w
  gpu.wait [%a, %b]
  return %r : f32
}
//// shape/rows_of_expanded
func.func @main(%d: !w) {
  CONSTS
  %m = memref.expand_shape %d [[0, 1]] output_shape [8, 8] : !w into memref<8x8xf32>
  %r = memref.subview %m[2, 0] [2, 8] [1, 1] : memref<8x8xf32> to memref<2x8xf32, strided<[8, 1], offset: 16>>
  %rt = memref.cast %r : memref<2x8xf32, strided<[8, 1], offset: 16>> to !tile
  %p = memref.subview %d[0] [16] [1] : !w to memref<16xf32, strided<[1]>>
  %pp = memref.cast %p : memref<16xf32, strided<[1]>> to !part
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%rt : !tile, %f : f32)
  %b = gpu.launch_func async [%t] @k::@fill_part GRID args(%pp : !part, %f : f32)
  gpu.wait [%a, %b]
  return
}
//// shape/columns
func.func @main(%m: memref<8x8xf32>) {
  CONSTS
  %l = memref.subview %m[0, 0] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1]>>
  %r = memref.subview %m[0, 4] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1], offset: 4>>
  %lt = memref.cast %l : memref<8x4xf32, strided<[8, 1]>> to !tile
  %rt = memref.cast %r : memref<8x4xf32, strided<[8, 1], offset: 4>> to !tile
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%lt : !tile, %f : f32)
  %b = gpu.launch_func async [%t] @k::@fill_tile GRID args(%rt : !tile, %f : f32)
  gpu.wait [%a, %b]
  return
}
//// shape/transposed
func.func @main(%m: memref<8x8xf32>) -> f32 {
  CONSTS
  %tr = memref.transpose %m (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
  %r = memref.subview %m[1, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 8>>
  %rt = memref.cast %r : memref<1x8xf32, strided<[8, 1], offset: 8>> to !tile
  %s = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%rt : !tile, %f : f32)
  %x = memref.load %tr[%c1, %c0] : memref<8x8xf32, strided<[1, 8]>>
  gpu.wait [%a]
  %y = memref.load %tr[%c0, %c1] : memref<8x8xf32, strided<[1, 8]>>
  return %x : f32
}
//// shape/even_and_odd
func.func @main(%d: !w) {
  CONSTS
  %e = memref.subview %d[0] [32] [2] : !w to memref<32xf32, strided<[2]>>
  %o = memref.subview %d[1] [32] [2] : !w to memref<32xf32, strided<[2], offset: 1>>
  %s = gpu.wait async
  %a = gpu.launch async [%s] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    memref.store %f, %e[%tx] : memref<32xf32, strided<[2]>>
    gpu.terminator
  }
  memref.store %f, %o[%c0] : memref<32xf32, strided<[2], offset: 1>>
  %x = memref.load %o[%c8] : memref<32xf32, strided<[2], offset: 1>>
  gpu.wait [%a]
  return
}
//// shape/metadata
func.func @main(%d: !w) {
  CONSTS
  %base, %at, %size, %stride = memref.extract_strided_metadata %d : !w -> memref<f32>, index, index, index
  %x = memref.reinterpret_cast %base to offset: [0], sizes: [32], strides: [1] : memref<f32> to memref<32xf32>
  %y = memref.reinterpret_cast %base to offset: [32], sizes: [32], strides: [1] : memref<f32> to memref<32xf32, strided<[1], offset: 32>>
  %yp = memref.cast %y : memref<32xf32, strided<[1], offset: 32>> to !part
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.memset async [%s] %x, %f : memref<32xf32>, f32
  %b = gpu.launch_func async [%t] @k::@fill_part GRID args(%yp : !part, %f : f32)
  gpu.wait [%a, %b]
  return
}
//// shape/quadrants_in_loops
func.func @main(%m: !mat, %n: index) {
  CONSTS
  scf.for %i = %c0 to %n step %c8 {
    %i8 = arith.addi %i, %c8 : index
    %p = memref.subview %m[%i, 0] [8, 8] [1, 1] : !mat to memref<8x8xf32, strided<[?, 1], offset: ?>>
    %q = memref.subview %m[%i8, 0] [8, 8] [1, 1] : !mat to memref<8x8xf32, strided<[?, 1], offset: ?>>
    %pt = memref.cast %p : memref<8x8xf32, strided<[?, 1], offset: ?>> to !tile
    %qt = memref.cast %q : memref<8x8xf32, strided<[?, 1], offset: ?>> to !tile
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill_tile GRID args(%pt : !tile, %f : f32)
    %b = gpu.launch_func async [%t] @k::@fill_tile GRID args(%qt : !tile, %f : f32)
    gpu.wait [%a, %b]
  }
  return
}
//// inline/reads_share
func.func @main(%d: !w, %x: !w, %y: !w) {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %a = gpu.launch async [%s] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %v = memref.load %d[%tx] : !w
    memref.store %v, %x[%tx] : !w
    gpu.terminator
  }
  %b = gpu.memcpy async [%t] %y, %d : !w, !w
  gpu.wait [%a, %b]
  return
}
//// inline/blocking
func.func @main(%d: !w) -> f32 {
  CONSTS
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    memref.store %f, %d[%tx] : !w
    gpu.terminator
  }
  %r = memref.load %d[%c8] : !w
  return %r : f32
}
//// inline/workgroup_memory
func.func @main(%d: !w, %o: !w) -> f32 {
  CONSTS
  %s = gpu.wait async
  %a = gpu.launch async [%s] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
      workgroup(%buf : memref<64xf32, 3>) {
    %v = memref.load %d[%tx] : !w
    memref.store %v, %buf[%tx] : memref<64xf32, 3>
    gpu.barrier
    %u = memref.load %buf[%tx] : memref<64xf32, 3>
    memref.store %u, %o[%tx] : !w
    gpu.terminator
  }
  %x = memref.load %d[%c0] : !w
  gpu.wait [%a]
  return %x : f32
}
//// host_register/llvm_test
func.func @main() {
  CONSTS
  %h = memref.alloc() : !w
  linalg.fill ins(%f : f32) outs(%h : !w)
  %u = memref.cast %h : !w to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  %x = memref.cast %h : !w to !v
  %s = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@scale GRID args(%x : !v)
  gpu.wait [%a]
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  gpu.host_unregister %u : memref<*xf32>
  memref.dealloc %h : !w
  return
}
//// host_register/sync_launches
func.func @main(%h: !v) -> f32 {
  CONSTS
  %u = memref.cast %h : !v to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  gpu.launch_func @k::@scale GRID args(%h : !v)
  memref.store %f, %h[%c0] : !v
  gpu.launch_func @k::@scale GRID args(%h : !v)
  %r = memref.load %h[%c0] : !v
  return %r : f32
}
//// events/joined_late
func.func @main(%x: !w, %y: !w, %h: !w) {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memset async [%s] %x, %f : !w, f32
  %b = gpu.memcpy async [%a] %x, %h : !w, !w
  %j = gpu.wait async [%b]
  %c = gpu.memcpy async [%j] %y, %x : !w, !w
  %d = gpu.memset async [%b] %h, %f : !w, f32
  gpu.wait [%d, %c]
  return
}
//// events/diamond
func.func @main(%x: !w, %y: !w, %z: !w, %h: !w) {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %x, %h : !w, !w
  %l = gpu.wait async [%a]
  %r = gpu.wait async [%a]
  %b = gpu.memcpy async [%l] %y, %x : !w, !w
  %c = gpu.memcpy async [%r] %z, %x : !w, !w
  %j = gpu.wait async [%b, %c]
  %d = gpu.memset async [%j] %x, %f : !w, f32
  gpu.wait [%d, %b, %c, %a]
  %v = memref.load %x[%c0] : !w
  return
}
//// events/in_loop
func.func @main(%x: !w, %y: !w, %h: !w, %n: index) {
  CONSTS
  %s = gpu.wait async
  scf.for %i = %c0 to %n step %c1 {
    %a = gpu.memcpy async [%s] %x, %h : !w, !w
    %j = gpu.wait async [%a]
    %b = gpu.memcpy async [%j] %y, %x : !w, !w
    gpu.wait [%b]
  }
  gpu.wait [%s]
  return
}
//// chosen/select
func.func @main(%d: !w, %h: !w, %c: i1) -> f32 {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  %q = arith.select %c, %s, %t : !tok
  %a = gpu.memcpy async [%q] %h, %d : !w, !w
  gpu.wait [%s, %t]
  %r = memref.load %h[%c1] : !w
  return %r : f32
}
//// chosen/branch_launches
func.func @main(%d: !v, %c: i1) -> f32 {
  CONSTS
  %s = gpu.wait async
  %t = gpu.wait async
  scf.if %c {
    %a = gpu.launch_func async [%s] @k::@scale GRID args(%d : !v)
  } else {
    %a = gpu.launch_func async [%t] @k::@scale GRID args(%d : !v)
  }
  gpu.wait [%s, %t]
  %r = memref.load %d[%c1] : !v
  return %r : f32
}
//// chosen/switch_on_buffers
func.func @main(%x: !w, %y: !w, %h: !w, %which: index) -> f32 {
  CONSTS
  %s = gpu.wait async
  %b = scf.index_switch %which -> !w
  case 0 {
    scf.yield %x : !w
  }
  default {
    scf.yield %y : !w
  }
  %a = gpu.memcpy async [%s] %h, %b : !w, !w
  %v = memref.load %x[%c0] : !w
  gpu.wait [%a]
  %r = memref.load %h[%c1] : !w
  return %r : f32
}
//// chosen/free_in_each_branch
func.func @main(%h: !w, %c: i1) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
  %a = gpu.memcpy async [%t0] %d, %h : !w, !w
  cf.cond_br %c, ^left, ^right
^left:
  %b = gpu.memcpy async [%a] %h, %d : !w, !w
  %y = gpu.dealloc async [%b] %d : !w
  cf.br ^out
^right:
  %z = gpu.dealloc async [%a] %d : !w
  cf.br ^out
^out:
  gpu.wait [%s]
  return
}
//// chosen/wait_in_each_branch
func.func @main(%d: !w, %h: !w, %c: i1) -> f32 {
  CONSTS
  %s = gpu.wait async
  %a = gpu.memcpy async [%s] %h, %d : !w, !w
  scf.if %c {
    gpu.wait [%a]
  } else {
    %b = gpu.memset async [%a] %h, %f : !w, f32
    gpu.wait [%b]
  }
  %r = memref.load %h[%c1] : !w
  return %r : f32
}
//// parts/upload_and_store_elsewhere
func.func @main(%h: !v, %i: index) {
  CONSTS
  %p0 = memref.subview %h[%i] [16] [1] : !v to memref<16xf32, strided<[1], offset: ?>>
  %p = memref.cast %p0 : memref<16xf32, strided<[1], offset: ?>> to !part
  %at = arith.addi %i, %c64 : index
  %s = gpu.wait async
  %a = gpu.launch_func async [%s] @k::@fill_part GRID args(%p : !part, %f : f32)
  memref.store %f, %h[%at] : !v
  gpu.wait [%a]
  memref.store %f, %h[%i] : !v
  return
}
//// parts/affine_tiles
func.func @main(%d: !v, %e: !v, %tiles: index) {
  CONSTS
  scf.for %i = %c0 to %tiles step %c1 {
    %at = affine.apply affine_map<(i) -> (i * 32)>(%i)
    %next = affine.apply affine_map<(i) -> (i * 32 + 32)>(%i)
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
//// parts/affine_for
func.func @main(%d: !v) {
  CONSTS
  affine.for %i = 0 to 64 step 8 {
    %p0 = memref.subview %d[%i] [4] [1] : !v to memref<4xf32, strided<[1], offset: ?>>
    %j = affine.apply affine_map<(i) -> (i + 4)>(%i)
    %q0 = memref.subview %d[%j] [4] [1] : !v to memref<4xf32, strided<[1], offset: ?>>
    %p = memref.cast %p0 : memref<4xf32, strided<[1], offset: ?>> to !part
    %q = memref.cast %q0 : memref<4xf32, strided<[1], offset: ?>> to !part
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill_part GRID args(%p : !part, %f : f32)
    %b = gpu.launch_func async [%t] @k::@copy_part GRID args(%q : !part, %q : !part)
    gpu.wait [%a, %b]
  }
  return
}
//// parts/tiles_each_on_its_stream
func.func @main(%d: !v, %tiles: index) {
  CONSTS
  %c2 = arith.constant 2 : index
  %s = gpu.wait async
  %t = gpu.wait async
  scf.for %i = %c0 to %tiles step %c1 {
    %odd = arith.remui %i, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    %at = arith.muli %i, %c8 : index
    %p0 = memref.subview %d[%at] [8] [1] : !v to memref<8xf32, strided<[1], offset: ?>>
    %p = memref.cast %p0 : memref<8xf32, strided<[1], offset: ?>> to !part
    %q = arith.select %is_odd, %s, %t : !tok
    %a = gpu.launch_func async [%q] @k::@fill_part GRID args(%p : !part, %f : f32)
  }
  gpu.wait [%s, %t]
  %r = memref.load %d[%c0] : !v
  return
}
//// uninitialized/written_by_kernel
func.func @main(%x: !v, %h: !v, %n: index) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] (%n) : !v
  %a = gpu.launch_func async [%t0] @k::@copy GRID args(%x : !v, %d : !v)
  %b = gpu.launch_func async [%a] @k::@scale GRID args(%d : !v)
  %c = gpu.memcpy async [%b] %h, %d : !v, !v
  %z = gpu.dealloc async [%c] %d : !v
  gpu.wait [%z]
  return
}
//// uninitialized/both_branches
func.func @main(%h: !w, %g: !w, %c: i1) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
  scf.if %c {
    %a = gpu.memset async [%t0] %d, %f : !w, f32
  } else {
    %a = gpu.memcpy async [%t0] %d, %g : !w, !w
  }
  %b = gpu.memcpy async [%t0] %h, %d : !w, !w
  %z = gpu.dealloc async [%b] %d : !w
  gpu.wait [%z]
  return
}
//// lifetime/per_round
func.func @main(%h: !w, %n: index) {
  CONSTS
  scf.for %i = %c0 to %n step %c1 {
    %s = gpu.wait async
    %d, %t0 = gpu.alloc async [%s] () : !w
    %a = gpu.memcpy async [%t0] %d, %h : !w, !w
    %b = gpu.memset async [%a] %h, %f : !w, f32
    %z = gpu.dealloc async [%b] %d : !w
    gpu.wait [%z]
  }
  return
}
//// lifetime/host_copy_fallback
func.func @main(%h: !w, %g: !w, %c: i1) {
  CONSTS
  scf.if %c {
    %s = gpu.wait async
    %d, %t0 = gpu.alloc async [%s] () : !w
    %a = gpu.memcpy async [%t0] %d, %h : !w, !w
    %b = gpu.memcpy async [%a] %g, %d : !w, !w
    %z = gpu.dealloc async [%b] %d : !w
    gpu.wait [%z]
  } else {
    memref.copy %h, %g : !w to !w
  }
  %r = memref.load %g[%c0] : !w
  return
}
//// branches/freed_where_it_was_made
func.func @cache(%hit: i1, %cached: !v, %h: !v, %out: !v, %n: index) {
  CONSTS
  %s = gpu.wait async
  %buf, %fresh = scf.if %hit -> (!v, i1) {
    %no = arith.constant false
    scf.yield %cached, %no : !v, i1
  } else {
    %d, %t0 = gpu.alloc async [%s] (%n) : !v
    %t1 = gpu.memcpy async [%t0] %d, %h : !v, !v
    %yes = arith.constant true
    scf.yield %d, %yes : !v, i1
  }
  %k = gpu.launch_func async [%s] @k::@copy GRID args(%buf : !v, %out : !v)
  scf.if %fresh {
    %e = gpu.dealloc async [%k] %buf : !v
  }
  gpu.wait [%k]
  return
}
//// loops/buffer_grows
func.func @grow(%h: !v, %n: index, %rounds: index) {
  CONSTS
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] (%n) : !v
  %t1 = gpu.memcpy async [%t0] %d, %h : !v, !v
  %r:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%buf = %d, %len = %n) -> (!v, index) {
    %need = arith.cmpi ugt, %i, %len : index
    %nb:2 = scf.if %need -> (!v, index) {
      %l2 = arith.muli %len, %c8 : index
      %new, %u0 = gpu.alloc async [%s] (%l2) : !v
      %u1 = gpu.memcpy async [%u0] %new, %buf : !v, !v
      %u2 = gpu.dealloc async [%u1] %buf : !v
      scf.yield %new, %l2 : !v, index
    } else {
      scf.yield %buf, %len : !v, index
    }
    scf.yield %nb#0, %nb#1 : !v, index
  }
  %t2 = gpu.memcpy async [%s] %h, %r#0 : !v, !v
  %t3 = gpu.dealloc async [%t2] %r#0 : !v
  gpu.wait [%s]
  %x = memref.load %h[%c0] : !v
  memref.store %x, %h[%c1] : !v
  return
}
//// calls/freed_on_one_side_each
func.func private @maybe(%c: i1, %d: !w, %s: !tok) {
  scf.if %c {
    %t = gpu.dealloc async [%s] %d : !w
  }
  return
}
func.func @main(%c: i1) {
  %s = gpu.wait async
  %d, %t0 = gpu.alloc async [%s] () : !w
  func.call @maybe(%c, %d, %s) : (i1, !w, !tok) -> ()
  scf.if %c {
  } else {
    %t1 = gpu.dealloc async [%s] %d : !w
  }
  gpu.wait [%s]
  return
}
