// Ring of three.
module attributes {gpu.container_module} {
  func.func @main(%out: memref<?xf32>, %dev: memref<?xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f0 = arith.constant 0.0 : f32
    %r0 = memref.alloc(%n) : memref<?xf32>
    %r1 = memref.alloc(%n) : memref<?xf32>
    %r2 = memref.alloc(%n) : memref<?xf32>
    %s = gpu.wait async
    %a, %b, %d, %acc = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r0, %y = %r1, %z = %r2, %sum = %f0) -> (memref<?xf32>, memref<?xf32>, memref<?xf32>, f32) {
      %t = gpu.memcpy async [%s] %x, %dev : memref<?xf32>, memref<?xf32>
      // expected-warning @+1 {{GA302: The host reads %x while the gpu.memcpy that writes it may still be running.}}
      %v = memref.load %x[%c0] : memref<?xf32>
      %m = arith.addf %sum, %v : f32
      scf.yield %y, %z, %x, %m : memref<?xf32>, memref<?xf32>, memref<?xf32>, f32
    }
    gpu.wait [%s]
    memref.dealloc %r0 : memref<?xf32>
    memref.dealloc %r1 : memref<?xf32>
    memref.dealloc %r2 : memref<?xf32>
    return %acc : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%out: memref<?xf32>, %dev: memref<?xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f0 = arith.constant 0.0 : f32
    %r0 = memref.alloc(%n) : memref<?xf32>
    %r1 = memref.alloc(%n) : memref<?xf32>
    %r2 = memref.alloc(%n) : memref<?xf32>
    %s = gpu.wait async
    %a, %b, %d, %acc = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r0, %y = %r1, %z = %r2, %sum = %f0) -> (memref<?xf32>, memref<?xf32>, memref<?xf32>, f32) {
      %t = gpu.memcpy async [%s] %x, %dev : memref<?xf32>, memref<?xf32>
      %e = gpu.wait async [%t]
      gpu.wait [%e]
      %v = memref.load %x[%c0] : memref<?xf32>
      %m = arith.addf %sum, %v : f32
      scf.yield %y, %z, %x, %m : memref<?xf32>, memref<?xf32>, memref<?xf32>, f32
    }
    gpu.wait [%s]
    memref.dealloc %r0 : memref<?xf32>
    memref.dealloc %r1 : memref<?xf32>
    memref.dealloc %r2 : memref<?xf32>
    return %acc : f32
  }
}
