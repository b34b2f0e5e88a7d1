// Element i+1 is read while the kernel of the round writes i+1, instead of i.
module attributes {gpu.container_module} {
  func.func @main(%n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %x = memref.alloc() : memref<128xf32>
    %ux = memref.cast %x : memref<128xf32> to memref<*xf32>
    gpu.host_register %ux : memref<*xf32>
    linalg.fill ins(%f : f32) outs(%x : memref<128xf32>)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> (f32) {
      %j = arith.addi %i, %c1 : index
      %t = gpu.wait async
      %k = gpu.launch async [%t] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
          threads(%tx, %ty, %tz) in (%lx = %c1, %ly = %c1, %lz = %c1) {
        memref.store %f, %x[%j] : memref<128xf32>
        gpu.terminator
      }
      // expected-warning @+1 {{GA302: The host reads %x while the gpu.launch that writes it may still be running.}}
      %v = memref.load %x[%j] : memref<128xf32>
      gpu.wait [%k]
      %s = arith.addf %acc, %v : f32
      scf.yield %s : f32
    }
    return %r : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %x = memref.alloc() : memref<128xf32>
    %ux = memref.cast %x : memref<128xf32> to memref<*xf32>
    gpu.host_register %ux : memref<*xf32>
    linalg.fill ins(%f : f32) outs(%x : memref<128xf32>)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> (f32) {
      %j = arith.addi %i, %c1 : index
      %t = gpu.wait async
      %k = gpu.launch async [%t] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
          threads(%tx, %ty, %tz) in (%lx = %c1, %ly = %c1, %lz = %c1) {
        memref.store %f, %x[%j] : memref<128xf32>
        gpu.terminator
      }
      %v = memref.load %x[%i] : memref<128xf32>
      gpu.wait [%k]
      %s = arith.addf %acc, %v : f32
      scf.yield %s : f32
    }
    return %r : f32
  }
}
