// A recursive callee fills on the first stream.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @rec(%t: !gpu.async.token, %m: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %more = arith.cmpi ugt, %n, %c0 : index
    scf.if %more {
      %a = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
      %less = arith.subi %n, %c1 : index
      func.call @rec(%a, %m, %less) : (!gpu.async.token, memref<64xf32>, index) -> ()
    }
    return
  }
  func.func @main(%m: memref<64xf32>, %o: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    call @rec(%t0, %m, %c4) : (!gpu.async.token, memref<64xf32>, index) -> ()
    // expected-warning @+1 {{GA301: This gpu.launch_func reads %m while work of @rec, which may read and write it, may still be running.}}
    %b = gpu.launch_func async [%t1] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>, %o : memref<64xf32>)
    gpu.wait [%t0, %t1]
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
    gpu.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %b[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @rec(%t: !gpu.async.token, %m: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %more = arith.cmpi ugt, %n, %c0 : index
    scf.if %more {
      %a = gpu.launch_func async [%t] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
      %less = arith.subi %n, %c1 : index
      func.call @rec(%a, %m, %less) : (!gpu.async.token, memref<64xf32>, index) -> ()
    }
    return
  }
  func.func @main(%m: memref<64xf32>, %o: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    call @rec(%t0, %m, %c4) : (!gpu.async.token, memref<64xf32>, index) -> ()
    %b = gpu.launch_func async [%t0] @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>, %o : memref<64xf32>)
    gpu.wait [%t0, %t1]
    return
  }
}
