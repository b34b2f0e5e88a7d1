// What a task has escapes is freed and then read.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>) {
    %t, %f = async.execute -> !async.value<memref<256xf32>> {
      %s = gpu.wait async
      %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
      %t1 = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
      gpu.wait [%t1]
      async.yield %x : memref<256xf32>
    }
    %y = async.await %f : !async.value<memref<256xf32>>
    %s1 = gpu.wait async
    %d = gpu.dealloc async [%s1] %y : memref<256xf32>
    // expected-error @+1 {{GA303: This gpu.memcpy uses %x after it was freed.}}
    %e = gpu.memcpy async [%d] %h, %y : memref<256xf32>, memref<256xf32>
    gpu.wait [%e]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<256xf32>) {
    %t, %f = async.execute -> !async.value<memref<256xf32>> {
      %s = gpu.wait async
      %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
      %t1 = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
      gpu.wait [%t1]
      async.yield %x : memref<256xf32>
    }
    %y = async.await %f : !async.value<memref<256xf32>>
    %s1 = gpu.wait async
    %e = gpu.memcpy async [%s1] %h, %y : memref<256xf32>, memref<256xf32>
    %d = gpu.dealloc async [%e] %y : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
