// The halo goes out while the interior kernel still writes the cells.
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
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %halo: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@stencil blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %y while the gpu.launch_func that writes it may still be running.}}
    %b = gpu.memcpy async [%t1] %halo, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    gpu.wait [%b]
    %u = gpu.wait async
    %c = gpu.launch_func async [%u] @k::@stencil blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>, %x : memref<64xf32>)
    gpu.wait [%c]
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
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %halo: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@stencil blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %y : memref<64xf32>)
    %j = gpu.wait async [%a]
    %b = gpu.memcpy async [%j] %halo, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    gpu.wait [%b]
    %u = gpu.wait async [%t1]
    %c = gpu.launch_func async [%u] @k::@stencil blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>, %x : memref<64xf32>)
    gpu.wait [%c, %t1]
    return
  }
}
