// What a callee leaves running is told once at each op that touches it, whatever memory shows it.
func.func private @start(%a: memref<64xf32>, %b: memref<64xf32>, %h: memref<64xf32>) {
  %s = gpu.wait async
  %x = gpu.memcpy async [%s] %a, %h : memref<64xf32>, memref<64xf32>
  %y = gpu.memcpy async [%x] %b, %h : memref<64xf32>, memref<64xf32>
  return
}

func.func @twice(%a: memref<64xf32>, %b: memref<64xf32>, %h: memref<64xf32>) {
  call @start(%a, %b, %h) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  // expected-warning @+1 {{GA301: This func.call writes %a while work of @start that writes it may still be running.}}
  call @start(%a, %b, %h) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  // expected-warning @+1 {{GA302: The host reads %a while work of @start that writes it may still be running.}}
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Behind the stream that it is given, and nothing else.
func.func private @behind(%t: !gpu.async.token, %a: memref<64xf32>, %h: memref<64xf32>) {
  %j = gpu.wait async [%t]
  %x = gpu.memcpy async [%j] %a, %h : memref<64xf32>, memref<64xf32>
  return
}

func.func @ordered_before_not_behind(%a: memref<64xf32>, %b: memref<64xf32>, %h: memref<64xf32>) {
  %s = gpu.wait async
  %x = gpu.memcpy async [%s] %a, %b : memref<64xf32>, memref<64xf32>
  call @behind(%x, %a, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
  gpu.wait [%s]
  %r = gpu.wait async
  // expected-warning @+1 {{GA301: This gpu.memcpy reads %a while work of @behind that writes it may still be running.}}
  %y = gpu.memcpy async [%r] %b, %a : memref<64xf32>, memref<64xf32>
  gpu.wait [%y]
  return
}

// -----

// One that may be waited for after all is not told.
func.func private @maybe(%c: i1, %a: memref<64xf32>, %h: memref<64xf32>) {
  %s = gpu.wait async
  %x = gpu.memcpy async [%s] %a, %h : memref<64xf32>, memref<64xf32>
  scf.if %c {
    gpu.wait [%x]
  }
  return
}

func.func @silent(%c: i1, %a: memref<64xf32>, %h: memref<64xf32>) {
  call @maybe(%c, %a, %h) : (i1, memref<64xf32>, memref<64xf32>) -> ()
  memref.copy %a, %h : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func private @cudaDeviceSynchronize() -> i32

func.func private @start(%a: memref<64xf32>, %h: memref<64xf32>) {
  %s = gpu.wait async
  %x = gpu.memcpy async [%s] %a, %h : memref<64xf32>, memref<64xf32>
  return
}

func.func @waits_for_the_device(%a: memref<64xf32>, %h: memref<64xf32>) {
  call @start(%a, %h) : (memref<64xf32>, memref<64xf32>) -> ()
  %r = call @cudaDeviceSynchronize() : () -> i32
  memref.copy %a, %h : memref<64xf32> to memref<64xf32>
  return
}
