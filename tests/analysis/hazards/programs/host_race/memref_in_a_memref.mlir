// Memref in a memref.
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
  func.func @f(%a: memref<64xf32>, %i: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %box = memref.alloc() : memref<2xmemref<64xf32>>
    memref.store %a, %box[%c0] : memref<2xmemref<64xf32>>
    %x = memref.load %box[%c0] : memref<2xmemref<64xf32>>
    %s = gpu.wait async
    %t = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    // expected-warning @+1 {{GA302: The host reads %a while the gpu.launch_func that writes it may still be running.}}
    %v = memref.load %a[%i] : memref<64xf32>
    gpu.wait [%t]
    call @use(%v) : (f32) -> ()
    memref.dealloc %box : memref<2xmemref<64xf32>>
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
  func.func @f(%a: memref<64xf32>, %i: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %box = memref.alloc() : memref<2xmemref<64xf32>>
    memref.store %a, %box[%c0] : memref<2xmemref<64xf32>>
    %x = memref.load %box[%c0] : memref<2xmemref<64xf32>>
    %s = gpu.wait async
    %t = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    gpu.wait [%t]
    %v = memref.load %a[%i] : memref<64xf32>
    call @use(%v) : (f32) -> ()
    memref.dealloc %box : memref<2xmemref<64xf32>>
    return
  }
}
