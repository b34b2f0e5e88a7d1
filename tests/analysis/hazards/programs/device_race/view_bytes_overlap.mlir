// View bytes overlap.
module attributes {gpu.container_module} {
  func.func @main(%ws: memref<1024xi8>) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %o = arith.constant 128 : index
    %a = memref.view %ws[%c0][] : memref<1024xi8> to memref<64xf32>
    %b = memref.view %ws[%o][] : memref<1024xi8> to memref<64xf32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.memset async [%s0] %a, %f0 : memref<64xf32>, f32
    // expected-warning @+1 {{GA301: This gpu.memset writes %ws while the earlier gpu.memset that writes it may still be running.}}
    %y = gpu.memset async [%s1] %b, %f1 : memref<64xf32>, f32
    gpu.wait [%x, %y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%ws: memref<1024xi8>) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %o = arith.constant 256 : index
    %a = memref.view %ws[%c0][] : memref<1024xi8> to memref<64xf32>
    %b = memref.view %ws[%o][] : memref<1024xi8> to memref<64xf32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.memset async [%s0] %a, %f0 : memref<64xf32>, f32
    %y = gpu.memset async [%s1] %b, %f1 : memref<64xf32>, f32
    gpu.wait [%x, %y]
    return
  }
}
