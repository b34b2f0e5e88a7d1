// One branch frees, and so does what follows.
module {
  func.func @main(%p: i1) {
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%a]
    scf.if %p {
      %s = gpu.wait async
      %z = gpu.dealloc async [%s] %m : memref<64xf32>
      gpu.wait [%z]
    }
    %s1 = gpu.wait async
    // expected-error @+1 {{GA304: %m is freed again here if %p is true.}}
    %z1 = gpu.dealloc async [%s1] %m : memref<64xf32>
    gpu.wait [%z1]
    return
  }
}
// -----
module {
  func.func @main(%p: i1) {
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    gpu.wait [%a]
    scf.if %p {
      %s = gpu.wait async
      %z = gpu.dealloc async [%s] %m : memref<64xf32>
      gpu.wait [%z]
    } else {
      %s = gpu.wait async
      %z = gpu.dealloc async [%s] %m : memref<64xf32>
      gpu.wait [%z]
    }
    return
  }
}
