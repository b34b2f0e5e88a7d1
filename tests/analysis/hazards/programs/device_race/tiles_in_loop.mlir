// A stream per tile; the tiles of successive rounds overlap by half.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%arena: memref<2048xi8>, %h: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %step = arith.constant 128 : index
    %t = gpu.wait async
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %t) -> (!gpu.async.token) {
      %o0 = arith.muli %i, %step : index
      %o1 = arith.addi %o0, %step : index
      %v = memref.view %arena[%o0][] : memref<2048xi8> to memref<64xf32>
      %w = memref.view %arena[%o1][] : memref<2048xi8> to memref<64xf32>
      %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%v : memref<64xf32>)
      // expected-warning @+1 {{GA301: This gpu.launch_func writes %arena while the earlier gpu.launch_func that writes it may still be running.}}
      %b = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%w : memref<64xf32>)
      gpu.wait [%a, %b]
      scf.yield %p : !gpu.async.token
    }
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%arena: memref<2048xi8>, %h: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %step = arith.constant 256 : index
    %t = gpu.wait async
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %t) -> (!gpu.async.token) {
      %o0 = arith.muli %i, %step : index
      %o1 = arith.addi %o0, %step : index
      %v = memref.view %arena[%o0][] : memref<2048xi8> to memref<64xf32>
      %w = memref.view %arena[%o1][] : memref<2048xi8> to memref<64xf32>
      %a = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%v : memref<64xf32>)
      %b = gpu.launch_func async @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%w : memref<64xf32>)
      gpu.wait [%a, %b]
      scf.yield %p : !gpu.async.token
    }
    gpu.wait [%t]
    return
  }
}
