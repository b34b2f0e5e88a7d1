// The write is in a function that the kernel calls.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @helped(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      func.call @k_put(%x, %i) : (memref<64xf32>, index) -> ()
      gpu.return
    }
    func.func @k_put(%x: memref<64xf32>, %i: index) {
      %v = arith.constant 5.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      return
    }
    gpu.func @peek(%a: memref<64xf32>, %r: memref<1xf32>) kernel {
      %z = arith.constant 0 : index
      %v = memref.load %a[%z] : memref<64xf32>
      memref.store %v, %r[%z] : memref<1xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %r: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.launch_func async @k::@helped blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func reads %x while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async @k::@peek blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %r : memref<1xf32>)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @helped(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      func.call @k_put(%x, %i) : (memref<64xf32>, index) -> ()
      gpu.return
    }
    func.func @k_put(%x: memref<64xf32>, %i: index) {
      %v = arith.constant 5.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      return
    }
    gpu.func @peek(%a: memref<64xf32>, %r: memref<1xf32>) kernel {
      %z = arith.constant 0 : index
      %v = memref.load %a[%z] : memref<64xf32>
      memref.store %v, %r[%z] : memref<1xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %r: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = gpu.launch_func async @k::@helped blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    %b = gpu.launch_func async [%a] @k::@peek blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %r : memref<1xf32>)
    gpu.wait [%b]
    return
  }
}
