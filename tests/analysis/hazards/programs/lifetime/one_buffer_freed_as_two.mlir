// One buffer freed as two.
module attributes {gpu.container_module} {
  func.func private @release(%x: memref<64xf32>, %y: memref<64xf32>) {
    %s = gpu.wait async
    %t = gpu.dealloc async [%s] %x : memref<64xf32>
    // expected-error @+1 {{GA304: %x is freed again here.}}
    %u = gpu.dealloc async [%t] %y : memref<64xf32>
    gpu.wait [%u]
    return
  }
  func.func @f() {
    %s = gpu.wait async
    %m, %t = gpu.alloc async [%s] () : memref<64xf32>
    gpu.wait [%s]
    // expected-error @+1 {{GA304: %m is freed again here.}}
    call @release(%m, %m) : (memref<64xf32>, memref<64xf32>) -> ()
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @release(%x: memref<64xf32>, %y: memref<64xf32>) {
    %s = gpu.wait async
    %t = gpu.dealloc async [%s] %x : memref<64xf32>
    %u = gpu.dealloc async [%t] %y : memref<64xf32>
    gpu.wait [%u]
    return
  }
  func.func @f() {
    %s = gpu.wait async
    %m, %t = gpu.alloc async [%s] () : memref<64xf32>
    %n, %tn = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%s]
    call @release(%m, %n) : (memref<64xf32>, memref<64xf32>) -> ()
    return
  }
}
