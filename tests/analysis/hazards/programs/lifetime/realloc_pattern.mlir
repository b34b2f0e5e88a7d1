// A cf loop that frees the buffer before it copies out of it.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%n: index, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m0, %a = gpu.alloc async [%t] () : memref<64xf32>
    %i0 = gpu.memset async [%a] %m0, %f : memref<64xf32>, f32
    gpu.wait [%i0]
    cf.br ^head(%c0, %m0 : index, memref<64xf32>)
  ^head(%i: index, %m: memref<64xf32>):
    %more = arith.cmpi ult, %i, %n : index
    cf.cond_br %more, ^body, ^exit
  ^body:
    %s = gpu.wait async
    %new, %b = gpu.alloc async [%s] () : memref<64xf32>
    %z = gpu.dealloc async [%b] %m : memref<64xf32>
    // expected-error @+1 {{GA303: This gpu.launch_func uses %m after it was freed if %more is true.}}
    %k = gpu.launch_func async [%z] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>, %new : memref<64xf32>)
    gpu.wait [%k]
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j, %new : index, memref<64xf32>)
  ^exit:
    %e = gpu.wait async
    %c = gpu.memcpy async [%e] %o, %m : memref<64xf32>, memref<64xf32>
    %y = gpu.dealloc async [%c] %m : memref<64xf32>
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
  func.func @main(%n: index, %o: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m0, %a = gpu.alloc async [%t] () : memref<64xf32>
    %i0 = gpu.memset async [%a] %m0, %f : memref<64xf32>, f32
    gpu.wait [%i0]
    cf.br ^head(%c0, %m0 : index, memref<64xf32>)
  ^head(%i: index, %m: memref<64xf32>):
    %more = arith.cmpi ult, %i, %n : index
    cf.cond_br %more, ^body, ^exit
  ^body:
    %s = gpu.wait async
    %new, %b = gpu.alloc async [%s] () : memref<64xf32>
    %k = gpu.launch_func async [%b] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>, %new : memref<64xf32>)
    %z = gpu.dealloc async [%k] %m : memref<64xf32>
    gpu.wait [%z]
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j, %new : index, memref<64xf32>)
  ^exit:
    %e = gpu.wait async
    %c = gpu.memcpy async [%e] %o, %m : memref<64xf32>, memref<64xf32>
    %y = gpu.dealloc async [%c] %m : memref<64xf32>
    gpu.wait [%y]
    return
  }
}
