// A callee frees what the caller's stream still uses.
module attributes {gpu.container_module} {
  func.func private @drop(%x: memref<256xf32>) {
    %s = gpu.wait async
    %t = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%t]
    return
  }
  func.func @main(%out: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %nb = arith.constant 4 : index
    %nt = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f32
    %s0 = gpu.wait async
    %x, %s1 = gpu.alloc async [%s0] () : memref<256xf32>
    %s2 = gpu.launch_func async [%s1] @k::@fill blocks in (%nb, %c1, %c1) threads in (%nt, %c1, %c1) args(%two : f32, %x : memref<256xf32>)
    %s3 = gpu.memcpy async [%s2] %out, %x : memref<256xf32>, memref<256xf32>
    // expected-error @+2 {{GA303: %x is freed here while the gpu.launch_func that writes it may still be running.}}
    // expected-error @+1 {{GA303: %x is freed here while the gpu.memcpy that reads it may still be running.}}
    call @drop(%x) : (memref<256xf32>) -> ()
    gpu.wait [%s3]
    return
  }
  gpu.module @k {
    gpu.func @fill(%v: f32, %d: memref<256xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      memref.store %v, %d[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @copy(%s: memref<256xf32>, %d: memref<256xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      %x = memref.load %s[%i] : memref<256xf32>
      memref.store %x, %d[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @scale(%v: f32, %d: memref<256xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      %x = memref.load %d[%i] : memref<256xf32>
      %y = arith.mulf %x, %v : f32
      memref.store %y, %d[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @add(%p: memref<256xf32>, %q: memref<256xf32>, %d: memref<256xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      %x = memref.load %p[%i] : memref<256xf32>
      %y = memref.load %q[%i] : memref<256xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %d[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @sum(%s: memref<256xf32>, %d: memref<1xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %z = arith.constant 0 : index
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      %x = memref.load %s[%i] : memref<256xf32>
      %old = memref.atomic_rmw addf %x, %d[%z] : (f32, memref<1xf32>) -> f32
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @drop(%x: memref<256xf32>) {
    %s = gpu.wait async
    %t = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%t]
    return
  }
  func.func @main(%out: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %nb = arith.constant 4 : index
    %nt = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f32
    %s0 = gpu.wait async
    %x, %s1 = gpu.alloc async [%s0] () : memref<256xf32>
    %s2 = gpu.launch_func async [%s1] @k::@fill blocks in (%nb, %c1, %c1) threads in (%nt, %c1, %c1) args(%two : f32, %x : memref<256xf32>)
    %s3 = gpu.memcpy async [%s2] %out, %x : memref<256xf32>, memref<256xf32>
    gpu.wait [%s3]
    call @drop(%x) : (memref<256xf32>) -> ()
    return
  }
  gpu.module @k {
    gpu.func @fill(%v: f32, %d: memref<256xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      memref.store %v, %d[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @copy(%s: memref<256xf32>, %d: memref<256xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      %x = memref.load %s[%i] : memref<256xf32>
      memref.store %x, %d[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @scale(%v: f32, %d: memref<256xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      %x = memref.load %d[%i] : memref<256xf32>
      %y = arith.mulf %x, %v : f32
      memref.store %y, %d[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @add(%p: memref<256xf32>, %q: memref<256xf32>, %d: memref<256xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      %x = memref.load %p[%i] : memref<256xf32>
      %y = memref.load %q[%i] : memref<256xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %d[%i] : memref<256xf32>
      gpu.return
    }
    gpu.func @sum(%s: memref<256xf32>, %d: memref<1xf32>) kernel {
      %b = gpu.block_id x
      %bd = gpu.block_dim x
      %t = gpu.thread_id x
      %z = arith.constant 0 : index
      %o = arith.muli %b, %bd : index
      %i = arith.addi %o, %t : index
      %x = memref.load %s[%i] : memref<256xf32>
      %old = memref.atomic_rmw addf %x, %d[%z] : (f32, memref<1xf32>) -> f32
      gpu.return
    }
  }
}
