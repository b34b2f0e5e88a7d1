// A kernel fills the lower part, another reads the upper one.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @readv(%in: memref<?xf32, strided<[1], offset: ?>>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<?xf32, strided<[1], offset: ?>>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %lo = memref.subview %x[0] [128] [1] : memref<256xf32> to memref<128xf32, strided<[1]>>
    %hi = memref.subview %x[128] [128] [1] : memref<256xf32> to memref<128xf32, strided<[1], offset: 128>>
    %l = memref.cast %lo : memref<128xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %u = memref.cast %hi : memref<128xf32, strided<[1], offset: 128>> to memref<?xf32, strided<[1], offset: ?>>
    %a = gpu.launch_func async [%t0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%l : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA305: This gpu.launch_func reads a part of %x that nothing has written.}}
    %b = gpu.launch_func async [%s] @k::@readv blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32, strided<[1], offset: ?>>, %o : memref<256xf32>)
    %d = gpu.dealloc async [%b] %x : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fillv(%out: memref<?xf32, strided<[1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @readv(%in: memref<?xf32, strided<[1], offset: ?>>, %out: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %in[%i] : memref<?xf32, strided<[1], offset: ?>>
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func @main(%o: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %lo = memref.subview %x[0] [128] [1] : memref<256xf32> to memref<128xf32, strided<[1]>>
    %hi = memref.subview %x[128] [128] [1] : memref<256xf32> to memref<128xf32, strided<[1], offset: 128>>
    %l = memref.cast %lo : memref<128xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %u = memref.cast %hi : memref<128xf32, strided<[1], offset: 128>> to memref<?xf32, strided<[1], offset: ?>>
    %a = gpu.launch_func async [%t0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%l : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    %a2 = gpu.launch_func async [%t0] @k::@fillv blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32, strided<[1], offset: ?>>, %f : f32)
    %b = gpu.launch_func async [%s] @k::@readv blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32, strided<[1], offset: ?>>, %o : memref<256xf32>)
    %d = gpu.dealloc async [%b] %x : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
