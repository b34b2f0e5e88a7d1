// Halo exchange.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @sum(%a: memref<?xf32>, %b: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      %w = memref.load %b[%i] : memref<?xf32>
      %x = arith.addf %v, %w : f32
      memref.store %x, %o[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%left: memref<?xf32>, %right: memref<?xf32>, %halo: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%left : memref<?xf32>)
    %h = gpu.memcpy async [%a] %halo, %left : memref<?xf32>, memref<?xf32>
    // expected-warning @+1 {{GA301: This gpu.launch_func reads %halo while the gpu.memcpy that writes it may still be running.}}
    %b = gpu.launch_func async [%s1] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%right : memref<?xf32>, %halo : memref<?xf32>, %right : memref<?xf32>)
    gpu.wait [%h, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @sum(%a: memref<?xf32>, %b: memref<?xf32>, %o: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      %w = memref.load %b[%i] : memref<?xf32>
      %x = arith.addf %v, %w : f32
      memref.store %x, %o[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%left: memref<?xf32>, %right: memref<?xf32>, %halo: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%left : memref<?xf32>)
    %h = gpu.memcpy async [%a] %halo, %left : memref<?xf32>, memref<?xf32>
    %j = gpu.wait async [%s1, %h]
    %b = gpu.launch_func async [%j] @k::@sum blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%right : memref<?xf32>, %halo : memref<?xf32>, %right : memref<?xf32>)
    gpu.wait [%h, %b, %s1]
    return
  }
}
