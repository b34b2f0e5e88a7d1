// One callee drops a buffer twice.
module attributes {gpu.container_module} {
  func.func private @drop(%x: memref<256xf32>) {
    %s = gpu.wait async
    %r = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%r]
    return
  }
  func.func @main(%h: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %t1 = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    gpu.wait [%t1]
    func.call @drop(%x) : (memref<256xf32>) -> ()
    // expected-error @+1 {{GA304: %x is freed again here.}}
    func.call @drop(%x) : (memref<256xf32>) -> ()
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @drop(%x: memref<256xf32>) {
    %s = gpu.wait async
    %r = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%r]
    return
  }
  func.func @main(%h: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %t1 = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    gpu.wait [%t1]
    func.call @drop(%x) : (memref<256xf32>) -> ()
    return
  }
}
