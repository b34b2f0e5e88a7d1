// A task frees what the function still reads.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    gpu.wait [%t0]
    %t = async.execute {
      %q = gpu.wait async
      %d = gpu.dealloc async [%q] %x : memref<256xf32>
      gpu.wait [%d]
      async.yield
    }
    %q2 = gpu.wait async
    // expected-error @+2 {{GA303: This gpu.memcpy uses %x after it was freed.}}
    // expected-warning @+1 {{GA305: This gpu.memcpy reads %x, which nothing has written.}}
    %a = gpu.memcpy async [%q2] %h, %x : memref<256xf32>, memref<256xf32>
    gpu.wait [%a]
    async.await %t : !async.token
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    gpu.wait [%t0]
    %t = async.execute {
      %q = gpu.wait async
      %d = gpu.dealloc async [%q] %x : memref<256xf32>
      gpu.wait [%d]
      async.yield
    }
    async.await %t : !async.token
    return
  }
}
