// Kernel without body.
module attributes {gpu.container_module} {
  gpu.binary @k [#gpu.object<#nvvm.target, "">]
  func.func @main(%m: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %r = gpu.wait async
    %t = gpu.launch_func async [%s] @k::@kern blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %m while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %u = gpu.launch_func async [%r] @k::@kern blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%t, %u]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.binary @k [#gpu.object<#nvvm.target, "">]
  func.func @main(%m: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %r = gpu.wait async
    %t = gpu.launch_func async [%s] @k::@kern blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    %j = gpu.wait async [%r, %t]
    %u = gpu.launch_func async [%j] @k::@kern blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%u, %t, %r]
    return
  }
}
