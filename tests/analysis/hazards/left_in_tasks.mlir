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
  // expected-warning @+1 {{The host reads %x while the func.call that writes it may still run.}}
  %v = memref.load %x[%c0] : memref<64xf32>
  return %v : f32
}
func.func @copied_while_it_runs(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  call @begin(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  %s = gpu.wait async
  // expected-warning @+1 {{This gpu.memcpy reads %x while the func.call that writes it may still run.}}
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
  // expected-error @+1 {{%x is freed here while the func.call that writes it may still run.}}
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
