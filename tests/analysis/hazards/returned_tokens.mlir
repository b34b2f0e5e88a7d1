// A token that a callee returns is of the stream that it is given, through calls, branches and loops in it.
func.func private @up(%s: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>) -> !gpu.async.token {
  %t = gpu.memcpy async [%s] %d, %h : memref<64xf32>, memref<64xf32>
  return %t : !gpu.async.token
}

func.func private @there_and_back(%s: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>) -> !gpu.async.token {
  %u = call @up(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> !gpu.async.token
  %v = gpu.memcpy async [%u] %h, %d : memref<64xf32>, memref<64xf32>
  return %v : !gpu.async.token
}

func.func @waits_for_what_it_gave(%d: memref<64xf32>, %h: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %s = gpu.wait async
  %t = call @there_and_back(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> !gpu.async.token
  gpu.wait [%s]
  %v = memref.load %h[%c0] : memref<64xf32>
  return %v : f32
}

// -----

func.func private @on_some_path(%s: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>, %c: i1) -> !gpu.async.token {
  %t = scf.if %c -> (!gpu.async.token) {
    %k = gpu.memcpy async [%s] %d, %h : memref<64xf32>, memref<64xf32>
    scf.yield %k : !gpu.async.token
  } else {
    scf.yield %s : !gpu.async.token
  }
  return %t : !gpu.async.token
}

func.func private @in_rounds(%s: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>, %n: index, %c: i1) -> !gpu.async.token {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%before = %s) -> (!gpu.async.token) {
    %k = func.call @on_some_path(%before, %d, %h, %c) : (!gpu.async.token, memref<64xf32>, memref<64xf32>, i1) -> !gpu.async.token
    scf.yield %k : !gpu.async.token
  }
  return %t : !gpu.async.token
}

func.func @waits_for_the_stream_of_all_paths(%d: memref<64xf32>, %h: memref<64xf32>, %n: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %s = gpu.wait async
  %t = call @in_rounds(%s, %d, %h, %n, %c) : (!gpu.async.token, memref<64xf32>, memref<64xf32>, index, i1) -> !gpu.async.token
  %u = gpu.memcpy async [%t] %h, %d : memref<64xf32>, memref<64xf32>
  gpu.wait [%s]
  %v = memref.load %h[%c0] : memref<64xf32>
  return %v : f32
}

// -----

// One of two streams, and a function that returns what it returns itself: nobody knows which.
func.func private @one_of(%s: !gpu.async.token, %t: !gpu.async.token, %c: i1) -> !gpu.async.token {
  %r = arith.select %c, %s, %t : !gpu.async.token
  return %r : !gpu.async.token
}

func.func private @again(%s: !gpu.async.token) -> !gpu.async.token {
  %t = call @again(%s) : (!gpu.async.token) -> !gpu.async.token
  return %t : !gpu.async.token
}

func.func @says_nothing(%d: memref<64xf32>, %h: memref<64xf32>, %c: i1) {
  %s = gpu.wait async
  %t = gpu.wait async
  %r = call @one_of(%s, %t, %c) : (!gpu.async.token, !gpu.async.token, i1) -> !gpu.async.token
  %k = gpu.memcpy async [%r] %d, %h : memref<64xf32>, memref<64xf32>
  gpu.wait [%s, %t]
  %a = gpu.wait async
  %b = call @again(%a) : (!gpu.async.token) -> !gpu.async.token
  gpu.wait [%b]
  return
}

// -----

// What runs behind a token that one call returns, passed to the next, runs on the stream that was given.
func.func private @copy(%s: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>) -> !gpu.async.token {
  %t = gpu.memcpy async [%s] %d, %h : memref<64xf32>, memref<64xf32>
  return %t : !gpu.async.token
}

func.func private @back(%s: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>) {
  %t = call @copy(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> !gpu.async.token
  %u = call @copy(%t, %h, %d) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> !gpu.async.token
  return
}

func.func @reads_too_early(%d: memref<64xf32>, %h: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %s = gpu.wait async
  call @back(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
  // expected-warning @+1 {{GA302: The host reads %h while work of @back that writes it may still be running.}}
  %v = memref.load %h[%c0] : memref<64xf32>
  gpu.wait [%s]
  return %v : f32
}

func.func @reads_behind_the_wait(%d: memref<64xf32>, %h: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %s = gpu.wait async
  call @back(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
  gpu.wait [%s]
  %v = memref.load %h[%c0] : memref<64xf32>
  return %v : f32
}

// -----

// A callee makes a stream of its own behind the one that it is given, and returns its token.
func.func private @forked(%s: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>) -> !gpu.async.token {
  %f = gpu.wait async [%s]
  %t = gpu.memcpy async [%f] %d, %h : memref<64xf32>, memref<64xf32>
  return %t : !gpu.async.token
}

func.func private @handed_on(%s: !gpu.async.token, %d: memref<64xf32>, %h: memref<64xf32>) -> !gpu.async.token {
  %t = call @forked(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> !gpu.async.token
  %u = gpu.memcpy async [%t] %h, %d : memref<64xf32>, memref<64xf32>
  return %u : !gpu.async.token
}

func.func @waits_for_the_fork(%d: memref<64xf32>, %h: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %s = gpu.wait async
  %t = call @handed_on(%s, %d, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> !gpu.async.token
  gpu.wait [%t, %s]
  %v = memref.load %h[%c0] : memref<64xf32>
  return %v : f32
}
