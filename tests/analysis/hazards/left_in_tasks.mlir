// What a callee does in an async.execute: awaited there it is done, else it may come at any time.

func.func private @begin(%x: memref<64xf32>, %y: memref<64xf32>) {
  %t = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    async.yield
  }
  return
}
func.func @read_while_it_runs(%x: memref<64xf32>, %y: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  call @begin(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  // expected-warning @+1 {{The host reads %x while work of @begin that writes it may still be running.}}
  %v = memref.load %x[%c0] : memref<64xf32>
  return %v : f32
}
func.func @copied_while_it_runs(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  call @begin(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  %s = gpu.wait async
  // expected-warning @+1 {{This gpu.memcpy reads %x while work of @begin that writes it may still be running.}}
  %a = gpu.memcpy async [%s] %z, %x : memref<64xf32>, memref<64xf32>
  gpu.wait [%a]
  return
}
func.func @freed_while_it_runs(%y: memref<64xf32>) {
  %s = gpu.wait async
  %x, %a = gpu.alloc async [%s] () : memref<64xf32>
  gpu.wait [%a]
  call @begin(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  %z = gpu.wait async
  // expected-error @+1 {{%x is freed here while work of @begin that writes it may still be running.}}
  %b = gpu.dealloc async [%z] %x : memref<64xf32>
  gpu.wait [%b]
  return
}
func.func @read_beside_a_reader(%x: memref<64xf32>, %y: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  call @begin(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  %v = memref.load %y[%c0] : memref<64xf32>
  return %v : f32
}
func.func private @do(%x: memref<64xf32>, %y: memref<64xf32>) {
  %t = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    async.yield
  }
  async.await %t : !async.token
  return
}
func.func @read_when_it_is_done(%x: memref<64xf32>, %y: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  call @do(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  %v = memref.load %x[%c0] : memref<64xf32>
  return %v : f32
}
func.func private @chain(%x: memref<64xf32>, %y: memref<64xf32>) {
  %t = async.execute {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    async.yield
  }
  %u = async.execute [%t] {
    async.yield
  }
  async.await %u : !async.token
  return
}
func.func @read_after_a_chain(%x: memref<64xf32>, %y: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  call @chain(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  %v = memref.load %x[%c0] : memref<64xf32>
  return %v : f32
}

// -----
// Single elements that the host writes in a task of a callee.

func.func private @fill(%h: memref<64xi32>, %at: index, %v: i32) {
  %tok = async.execute {
    memref.store %v, %h[%at] : memref<64xi32>
    async.yield
  }
  return
}
func.func @read_while_it_is_written(%h: memref<64xi32>, %v: i32) -> i32 {
  %c3 = arith.constant 3 : index
  call @fill(%h, %c3, %v) : (memref<64xi32>, index, i32) -> ()
  // expected-warning @+1 {{The host reads %h while work of @fill that writes it may still be running.}}
  %x = memref.load %h[%c3] : memref<64xi32>
  return %x : i32
}
func.func @read_of_another_element(%h: memref<64xi32>, %v: i32) -> i32 {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  call @fill(%h, %c3, %v) : (memref<64xi32>, index, i32) -> ()
  %x = memref.load %h[%c4] : memref<64xi32>
  return %x : i32
}
func.func @read_where_the_place_is_not_known(%h: memref<64xi32>, %v: i32, %i: index, %j: index) -> i32 {
  call @fill(%h, %i, %v) : (memref<64xi32>, index, i32) -> ()
  %x = memref.load %h[%j] : memref<64xi32>
  return %x : i32
}
func.func @read_at_the_same_place(%h: memref<64xi32>, %v: i32, %i: index) -> i32 {
  call @fill(%h, %i, %v) : (memref<64xi32>, index, i32) -> ()
  // expected-warning @+1 {{The host reads %h while work of @fill that writes it may still be running.}}
  %x = memref.load %h[%i] : memref<64xi32>
  return %x : i32
}
func.func private @fill_of_two(%h: memref<8x8xi32>, %at: index, %v: i32) {
  %c1 = arith.constant 1 : index
  %tok = async.execute {
    memref.store %v, %h[%c1, %at] : memref<8x8xi32>
    async.yield
  }
  return
}
func.func @read_in_two_dimensions(%h: memref<8x8xi32>, %v: i32) -> i32 {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  call @fill_of_two(%h, %c3, %v) : (memref<8x8xi32>, index, i32) -> ()
  %x = memref.load %h[%c3, %c1] : memref<8x8xi32>
  // expected-warning @+1 {{The host reads %h while work of @fill_of_two that writes it may still be running.}}
  %y = memref.load %h[%c1, %c3] : memref<8x8xi32>
  return %y : i32
}
