// Windows 0..40 and 24..64 of one buffer.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @view(%x: memref<40xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<40xf32, strided<[1], offset: ?>>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<40xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<80xf32>) {
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    %v = memref.subview %x[0] [40] [1] : memref<80xf32> to memref<40xf32, strided<[1]>>
    %vc = memref.cast %v : memref<40xf32, strided<[1]>> to memref<40xf32, strided<[1], offset: ?>>
    %w = memref.subview %x[24] [40] [1] : memref<80xf32> to memref<40xf32, strided<[1], offset: 24>>
    %wc = memref.cast %w : memref<40xf32, strided<[1], offset: 24>> to memref<40xf32, strided<[1], offset: ?>>
    %a = gpu.launch_func async @k::@view blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1) args(%vc : memref<40xf32, strided<[1], offset: ?>>)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %x while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %b = gpu.launch_func async @k::@view blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1) args(%wc : memref<40xf32, strided<[1], offset: ?>>)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @view(%x: memref<40xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<40xf32, strided<[1], offset: ?>>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<40xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<80xf32>) {
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    %v = memref.subview %x[0] [40] [1] : memref<80xf32> to memref<40xf32, strided<[1]>>
    %vc = memref.cast %v : memref<40xf32, strided<[1]>> to memref<40xf32, strided<[1], offset: ?>>
    %w = memref.subview %x[40] [40] [1] : memref<80xf32> to memref<40xf32, strided<[1], offset: 40>>
    %wc = memref.cast %w : memref<40xf32, strided<[1], offset: 40>> to memref<40xf32, strided<[1], offset: ?>>
    %a = gpu.launch_func async @k::@view blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1) args(%vc : memref<40xf32, strided<[1], offset: ?>>)
    %b = gpu.launch_func async @k::@view blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1) args(%wc : memref<40xf32, strided<[1], offset: ?>>)
    gpu.wait [%a, %b]
    return
  }
}
