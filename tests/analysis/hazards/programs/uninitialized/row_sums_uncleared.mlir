// A loop in the kernel adds to memory that nothing has cleared.
module attributes {gpu.container_module} {
  func.func @main(%in: memref<256xf32>, %out: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %s0 = gpu.wait async
    %acc, %s1 = gpu.alloc async [%s0] () : memref<4xf32>
    // expected-warning @+1 {{GA305: This gpu.launch_func reads %acc, which nothing has written.}}
    %s2 = gpu.launch_func async [%s1] @k::@rowsum blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1) args(%in : memref<256xf32>, %acc : memref<4xf32>)
    %s3 = gpu.memcpy async [%s2] %out, %acc : memref<4xf32>, memref<4xf32>
    %s4 = gpu.dealloc async [%s3] %acc : memref<4xf32>
    gpu.wait [%s4]
    return
  }
  gpu.module @k {
    gpu.func @rowsum(%s: memref<256xf32>, %d: memref<4xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %b = gpu.block_id x
      %o = arith.muli %b, %c64 : index
      scf.for %i = %c0 to %c64 step %c1 {
        %j = arith.addi %o, %i : index
        %x = memref.load %s[%j] : memref<256xf32>
        %a = memref.load %d[%b] : memref<4xf32>
        %y = arith.addf %a, %x : f32
        memref.store %y, %d[%b] : memref<4xf32>
      }
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%in: memref<256xf32>, %out: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %s0 = gpu.wait async
    %acc, %s1 = gpu.alloc async [%s0] () : memref<4xf32>
    %s1z = gpu.memset async [%s1] %acc, %z : memref<4xf32>, f32
    %s2 = gpu.launch_func async [%s1z] @k::@rowsum blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1) args(%in : memref<256xf32>, %acc : memref<4xf32>)
    %s3 = gpu.memcpy async [%s2] %out, %acc : memref<4xf32>, memref<4xf32>
    %s4 = gpu.dealloc async [%s3] %acc : memref<4xf32>
    gpu.wait [%s4]
    return
  }
  gpu.module @k {
    gpu.func @rowsum(%s: memref<256xf32>, %d: memref<4xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %b = gpu.block_id x
      %o = arith.muli %b, %c64 : index
      scf.for %i = %c0 to %c64 step %c1 {
        %j = arith.addi %o, %i : index
        %x = memref.load %s[%j] : memref<256xf32>
        %a = memref.load %d[%b] : memref<4xf32>
        %y = arith.addf %a, %x : f32
        memref.store %y, %d[%b] : memref<4xf32>
      }
      gpu.return
    }
  }
}
