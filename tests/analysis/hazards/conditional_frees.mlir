// What a callee frees on a condition: callers that ask the same are silent, others have freed it then.

func.func private @free_if(%c: i1, %p: memref<64xf32>) {
  scf.if %c {
    gpu.dealloc %p : memref<64xf32>
  }
  return
}
func.func @used_otherwise(%c: i1, %p: memref<64xf32>, %v: f32) {
  func.call @free_if(%c, %p) : (i1, memref<64xf32>) -> ()
  scf.if %c {
  } else {
    %s = gpu.wait async
    %a = gpu.memset async [%s] %p, %v : memref<64xf32>, f32
    gpu.wait [%a]
  }
  return
}
func.func @used_all_the_same(%c: i1, %p: memref<64xf32>, %v: f32) {
  call @free_if(%c, %p) : (i1, memref<64xf32>) -> ()
  %s = gpu.wait async
  // expected-error @+1 {{uses %p after it was freed if %c is true}}
  %a = gpu.memset async [%s] %p, %v : memref<64xf32>, f32
  gpu.wait [%a]
  return
}
func.func @freed_by_turns(%c: i1, %p: memref<64xf32>) {
  %true = arith.constant true
  %other = arith.xori %c, %true : i1
  call @free_if(%c, %p) : (i1, memref<64xf32>) -> ()
  call @free_if(%other, %p) : (i1, memref<64xf32>) -> ()
  return
}
func.func @freed_twice(%c: i1, %p: memref<64xf32>) {
  call @free_if(%c, %p) : (i1, memref<64xf32>) -> ()
  // expected-error @+1 {{%p is freed again here if %c is true}}
  call @free_if(%c, %p) : (i1, memref<64xf32>) -> ()
  return
}
func.func @freed_in_any_case(%v: f32) {
  %true = arith.constant true
  %p = gpu.alloc () : memref<64xf32>
  gpu.memset %p, %v : memref<64xf32>, f32
  call @free_if(%true, %p) : (i1, memref<64xf32>) -> ()
  return
}
func.func @never_freed(%v: f32) {
  %false = arith.constant false
  // expected-warning @+1 {{%p is never freed}}
  %p = gpu.alloc () : memref<64xf32>
  gpu.memset %p, %v : memref<64xf32>, f32
  call @free_if(%false, %p) : (i1, memref<64xf32>) -> ()
  return
}

// -----

// The condition is a comparison, and control leaves early.
func.func private @free_large(%n: index, %p: memref<64xf32>) {
  %most = arith.constant 1024 : index
  %large = arith.cmpi ugt, %n, %most : index
  cf.cond_br %large, ^drop, ^keep
^drop:
  gpu.dealloc %p : memref<64xf32>
  return
^keep:
  return
}
func.func @used_where_small(%n: index, %p: memref<64xf32>, %v: f32) {
  %limit = arith.constant 1024 : index
  call @free_large(%n, %p) : (index, memref<64xf32>) -> ()
  %small = arith.cmpi ule, %n, %limit : index
  scf.if %small {
    gpu.memset %p, %v : memref<64xf32>, f32
  }
  return
}
func.func @used_where_smaller(%n: index, %p: memref<64xf32>, %v: f32) {
  call @free_large(%n, %p) : (index, memref<64xf32>) -> ()
  // expected-error @+1 {{uses %p after it was freed if %n > 1024}}
  gpu.memset %p, %v : memref<64xf32>, f32
  return
}
func.func @freed_as_512_is_small(%p: memref<64xf32>, %v: f32) {
  %n = arith.constant 512 : index
  call @free_large(%n, %p) : (index, memref<64xf32>) -> ()
  gpu.memset %p, %v : memref<64xf32>, f32
  return
}

// -----

// Through a second function, which negates the condition and adds one.
func.func private @free_if(%c: i1, %p: memref<64xf32>) {
  scf.if %c {
    gpu.dealloc %p : memref<64xf32>
  }
  return
}
func.func private @free_unless(%keep: i1, %last: i1, %p: memref<64xf32>) {
  %true = arith.constant true
  %drop = arith.xori %keep, %true : i1
  scf.if %last {
    func.call @free_if(%drop, %p) : (i1, memref<64xf32>) -> ()
  }
  return
}
func.func @kept(%keep: i1, %last: i1, %p: memref<64xf32>, %v: f32) {
  call @free_unless(%keep, %last, %p) : (i1, i1, memref<64xf32>) -> ()
  scf.if %keep {
    gpu.memset %p, %v : memref<64xf32>, f32
  }
  return
}
func.func @not_the_last(%keep: i1, %last: i1, %p: memref<64xf32>, %v: f32) {
  call @free_unless(%keep, %last, %p) : (i1, i1, memref<64xf32>) -> ()
  cf.cond_br %last, ^end, ^more
^more:
  gpu.memset %p, %v : memref<64xf32>, f32
  return
^end:
  return
}
func.func @not_kept(%keep: i1, %last: i1, %p: memref<64xf32>, %v: f32) {
  call @free_unless(%keep, %last, %p) : (i1, i1, memref<64xf32>) -> ()
  // expected-error @+1 {{uses %p after it was freed if %last is true and %keep is false}}
  gpu.memset %p, %v : memref<64xf32>, f32
  return
}

// -----

// One of two.
func.func private @free_one(%c: i1, %p: memref<64xf32>, %q: memref<64xf32>) {
  %one = arith.select %c, %p, %q : memref<64xf32>
  gpu.dealloc %one : memref<64xf32>
  return
}
func.func @the_other_is_used(%c: i1, %p: memref<64xf32>, %q: memref<64xf32>, %v: f32) {
  call @free_one(%c, %p, %q) : (i1, memref<64xf32>, memref<64xf32>) -> ()
  %other = arith.select %c, %q, %p : memref<64xf32>
  gpu.memset %other, %v : memref<64xf32>, f32
  gpu.dealloc %other : memref<64xf32>
  return
}
func.func @both_are_freed(%c: i1, %p: memref<64xf32>, %q: memref<64xf32>) {
  call @free_one(%c, %p, %q) : (i1, memref<64xf32>, memref<64xf32>) -> ()
  // expected-error @+1 {{%p is freed again here if %c is true}}
  gpu.dealloc %p : memref<64xf32>
  // expected-error @+1 {{%q is freed again here if %c is false}}
  gpu.dealloc %q : memref<64xf32>
  return
}

// -----

// What nobody can tell from the arguments: a load, a result that says what was done.
func.func private @free_by_flag(%flag: memref<i1>, %p: memref<64xf32>) {
  %c = memref.load %flag[] : memref<i1>
  scf.if %c {
    gpu.dealloc %p : memref<64xf32>
  }
  return
}
func.func private @free_and_tell(%n: index, %p: memref<64xf32>) -> i1 {
  %c9 = arith.constant 9 : index
  %c = arith.cmpi slt, %n, %c9 : index
  scf.if %c {
    gpu.dealloc %p : memref<64xf32>
  }
  return %c : i1
}
func.func @nobody_knows(%flag: memref<i1>, %n: index, %p: memref<64xf32>, %r: memref<64xf32>, %v: f32) {
  call @free_by_flag(%flag, %p) : (memref<i1>, memref<64xf32>) -> ()
  gpu.memset %p, %v : memref<64xf32>, f32
  %gone = call @free_and_tell(%n, %r) : (index, memref<64xf32>) -> i1
  scf.if %gone {
  } else {
    gpu.memset %r, %v : memref<64xf32>, f32
  }
  return
}

// -----

// A callee that frees, on a condition, behind the work of a stream that its caller has.
func.func private @free_on(%s: !gpu.async.token, %p: memref<64xf32>, %c: i1) {
  scf.if %c {
    %f = gpu.dealloc async [%s] %p : memref<64xf32>
  }
  return
}
func.func @freed_on_the_stream_and_here(%v: f32) {
  %true = arith.constant true
  %s = gpu.wait async
  %p, %a = gpu.alloc async [%s] () : memref<64xf32>
  %m = gpu.memset async [%a] %p, %v : memref<64xf32>, f32
  call @free_on(%m, %p, %true) : (!gpu.async.token, memref<64xf32>, i1) -> ()
  // expected-error @+1 {{%p is freed again here if %true is true}}
  %f = gpu.dealloc async [%m] %p : memref<64xf32>
  gpu.wait [%s]
  return
}
func.func @freed_on_the_stream_by_turns(%c: i1, %v: f32) {
  %s = gpu.wait async
  %p, %a = gpu.alloc async [%s] () : memref<64xf32>
  %m = gpu.memset async [%a] %p, %v : memref<64xf32>, f32
  call @free_on(%m, %p, %c) : (!gpu.async.token, memref<64xf32>, i1) -> ()
  scf.if %c {
  } else {
    %f = gpu.dealloc async [%m] %p : memref<64xf32>
  }
  gpu.wait [%s]
  return
}
func.func @freed_on_the_stream_alone(%v: f32) {
  %true = arith.constant true
  %s = gpu.wait async
  %p, %a = gpu.alloc async [%s] () : memref<64xf32>
  %m = gpu.memset async [%a] %p, %v : memref<64xf32>, f32
  call @free_on(%m, %p, %true) : (!gpu.async.token, memref<64xf32>, i1) -> ()
  gpu.wait [%s]
  return
}
func.func @never_freed_on_the_stream(%v: f32) {
  %false = arith.constant false
  %s = gpu.wait async
  // expected-warning @+1 {{%p is never freed}}
  %p, %a = gpu.alloc async [%s] () : memref<64xf32>
  %m = gpu.memset async [%a] %p, %v : memref<64xf32>, f32
  call @free_on(%m, %p, %false) : (!gpu.async.token, memref<64xf32>, i1) -> ()
  gpu.wait [%s]
  return
}
func.func @used_behind_it(%h: memref<64xf32>, %c: i1, %v: f32) {
  %s = gpu.wait async
  // expected-warning @+1 {{%p does not escape, and is not freed if %c is false}}
  %p, %a = gpu.alloc async [%s] () : memref<64xf32>
  %m = gpu.memset async [%a] %p, %v : memref<64xf32>, f32
  call @free_on(%m, %p, %c) : (!gpu.async.token, memref<64xf32>, i1) -> ()
  // expected-error @+1 {{uses %p after it was freed if %c is true}}
  %b = gpu.memcpy async [%m] %h, %p : memref<64xf32>, memref<64xf32>
  gpu.wait [%s]
  return
}
