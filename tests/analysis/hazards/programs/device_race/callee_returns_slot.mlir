// Two calls return the same slot of an arena.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func private @slot(%arena: memref<4096xi8>, %n: index) -> memref<256xf32> {
    %c1024 = arith.constant 1024 : index
    %o = arith.muli %n, %c1024 : index
    %v = memref.view %arena[%o][] : memref<4096xi8> to memref<256xf32>
    return %v : memref<256xf32>
  }
  func.func @main(%arena: memref<4096xi8>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index

    %x = func.call @slot(%arena, %c1) : (memref<4096xi8>, index) -> memref<256xf32>
    %y = func.call @slot(%arena, %c1) : (memref<4096xi8>, index) -> memref<256xf32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %arena while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %m = gpu.launch_func async [%s1] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>)
    gpu.wait [%a, %m]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @scale(%x: memref<256xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func private @slot(%arena: memref<4096xi8>, %n: index) -> memref<256xf32> {
    %c1024 = arith.constant 1024 : index
    %o = arith.muli %n, %c1024 : index
    %v = memref.view %arena[%o][] : memref<4096xi8> to memref<256xf32>
    return %v : memref<256xf32>
  }
  func.func @main(%arena: memref<4096xi8>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index

    %x = func.call @slot(%arena, %c1) : (memref<4096xi8>, index) -> memref<256xf32>
    %y = func.call @slot(%arena, %c2) : (memref<4096xi8>, index) -> memref<256xf32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>)
    %m = gpu.launch_func async [%s1] @k::@scale blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%y : memref<256xf32>)
    gpu.wait [%a, %m]
    return
  }
}
