// Indirect call of constant.
module attributes {gpu.container_module} {
  func.func private @use(f32)
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @rd(%x: memref<64xf32>) -> f32 {
    %c5 = arith.constant 5 : index
    %v = memref.load %x[%c5] : memref<64xf32>
    return %v : f32
  }
  func.func @f(%a: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %fn = func.constant @rd : (memref<64xf32>) -> f32
    %s = gpu.wait async
    %t = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>)
    // expected-warning @+1 {{GA302: The host reads %a while the gpu.launch_func that writes it may still be running.}}
    %v = call_indirect %fn(%a) : (memref<64xf32>) -> f32
    gpu.wait [%t]
    call @use(%v) : (f32) -> ()
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @use(f32)
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @rd(%x: memref<64xf32>) -> f32 {
    %c5 = arith.constant 5 : index
    %v = memref.load %x[%c5] : memref<64xf32>
    return %v : f32
  }
  func.func @f(%a: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %fn = func.constant @rd : (memref<64xf32>) -> f32
    %s = gpu.wait async
    %t = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>)
    gpu.wait [%t]
    %v = call_indirect %fn(%a) : (memref<64xf32>) -> f32
    call @use(%v) : (f32) -> ()
    return
  }
}
