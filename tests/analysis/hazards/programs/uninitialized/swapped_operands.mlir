// The kernel's arguments are swapped: it reads what it should write.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %q, %b = gpu.alloc async [%a] () : memref<64xf32>
    %c = gpu.memcpy async [%b] %m, %h : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA305: This gpu.launch_func reads %q, which nothing has written.}}
    %k = gpu.launch_func async [%c] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%q : memref<64xf32>, %m : memref<64xf32>)
    %d = gpu.memcpy async [%k] %o, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<64xf32>
    %y = gpu.dealloc async [%z] %q : memref<64xf32>
    gpu.wait [%y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %q, %b = gpu.alloc async [%a] () : memref<64xf32>
    %c = gpu.memcpy async [%b] %m, %h : memref<64xf32>, memref<64xf32>
    %k = gpu.launch_func async [%c] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>, %q : memref<64xf32>)
    %d = gpu.memcpy async [%k] %o, %q : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<64xf32>
    %y = gpu.dealloc async [%z] %q : memref<64xf32>
    gpu.wait [%y]
    return
  }
}
