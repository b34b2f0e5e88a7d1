// After the swap the loop reads the buffer that nobody has written.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @stencil(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1 : index
      %last = arith.constant 63 : index
      %n = arith.addi %i, %one : index
      %j = arith.minui %n, %last : index
      %v = memref.load %a[%i] : memref<64xf32>
      %w = memref.load %a[%j] : memref<64xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %A, %a = gpu.alloc async [%t] () : memref<64xf32>
    %B, %b = gpu.alloc async [%a] () : memref<64xf32>
    %u = gpu.memcpy async [%b] %A, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%u]
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %B, %y = %A) -> (memref<64xf32>, memref<64xf32>) {
      %s = gpu.wait async
      // expected-warning @+1 {{GA305: This gpu.launch_func reads %B, which nothing has written.}}
      %k = gpu.launch_func async [%s] @k::@stencil blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>)
      gpu.wait [%k]
      scf.yield %y, %x : memref<64xf32>, memref<64xf32>
    }
    %e = gpu.wait async
    %c = gpu.memcpy async [%e] %o, %r#0 : memref<64xf32>, memref<64xf32>
    %z0 = gpu.dealloc async [%c] %A : memref<64xf32>
    %z1 = gpu.dealloc async [%z0] %B : memref<64xf32>
    gpu.wait [%z1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @stencil(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1 : index
      %last = arith.constant 63 : index
      %n = arith.addi %i, %one : index
      %j = arith.minui %n, %last : index
      %v = memref.load %a[%i] : memref<64xf32>
      %w = memref.load %a[%j] : memref<64xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%h: memref<64xf32>, %o: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %A, %a = gpu.alloc async [%t] () : memref<64xf32>
    %B, %b = gpu.alloc async [%a] () : memref<64xf32>
    %u = gpu.memcpy async [%b] %A, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%u]
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %A, %y = %B) -> (memref<64xf32>, memref<64xf32>) {
      %s = gpu.wait async
      %k = gpu.launch_func async [%s] @k::@stencil blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>)
      gpu.wait [%k]
      scf.yield %y, %x : memref<64xf32>, memref<64xf32>
    }
    %e = gpu.wait async
    %c = gpu.memcpy async [%e] %o, %r#0 : memref<64xf32>, memref<64xf32>
    %z0 = gpu.dealloc async [%c] %A : memref<64xf32>
    %z1 = gpu.dealloc async [%z0] %B : memref<64xf32>
    gpu.wait [%z1]
    return
  }
}
