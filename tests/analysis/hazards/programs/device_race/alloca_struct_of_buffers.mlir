// The same buffer goes twice into one loop's iter_args.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %p, %a0 = gpu.alloc async [%t0] () : memref<64xf32>
    %q, %a1 = gpu.alloc async [%t1] () : memref<64xf32>
    %i0 = gpu.memset async [%a0] %p, %f : memref<64xf32>, f32
    %i1 = gpu.memset async [%a1] %q, %f : memref<64xf32>, f32
    gpu.wait [%i0, %i1]
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %p, %v = %p) -> (memref<64xf32>, memref<64xf32>) {
      %a = gpu.launch_func async @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%u : memref<64xf32>)
      // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %v while the earlier gpu.launch_func, which may read and write it, may still be running.}}
      %b = gpu.launch_func async @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%v : memref<64xf32>)
      gpu.wait [%a, %b]
      scf.yield %v, %u : memref<64xf32>, memref<64xf32>
    }
    %t2 = gpu.wait async
    %z0 = gpu.dealloc async [%t2] %p : memref<64xf32>
    %z1 = gpu.dealloc async [%z0] %q : memref<64xf32>
    gpu.wait [%z1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %p, %a0 = gpu.alloc async [%t0] () : memref<64xf32>
    %q, %a1 = gpu.alloc async [%t1] () : memref<64xf32>
    %i0 = gpu.memset async [%a0] %p, %f : memref<64xf32>, f32
    %i1 = gpu.memset async [%a1] %q, %f : memref<64xf32>, f32
    gpu.wait [%i0, %i1]
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %p, %v = %q) -> (memref<64xf32>, memref<64xf32>) {
      %a = gpu.launch_func async @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%u : memref<64xf32>)
      %b = gpu.launch_func async @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%v : memref<64xf32>)
      gpu.wait [%a, %b]
      scf.yield %v, %u : memref<64xf32>, memref<64xf32>
    }
    %t2 = gpu.wait async
    %z0 = gpu.dealloc async [%t2] %p : memref<64xf32>
    %z1 = gpu.dealloc async [%z0] %q : memref<64xf32>
    gpu.wait [%z1]
    return
  }
}
