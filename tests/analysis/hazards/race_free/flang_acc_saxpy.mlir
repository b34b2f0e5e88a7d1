module attributes {gpu.container_module} {
  gpu.module @acc_mod {
    gpu.func @saxpy(%n: i32, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>) kernel {
      %bid = gpu.block_id x
      %bd = gpu.block_dim x
      %tid = gpu.thread_id x
      %m = arith.muli %bid, %bd : index
      %i = arith.addi %m, %tid : index
      %ni = arith.index_cast %n : i32 to index
      %in = arith.cmpi slt, %i, %ni : index
      scf.if %in {
        %xv = memref.load %x[%i] : memref<?xf32>
        %yv = memref.load %y[%i] : memref<?xf32>
        %p = arith.mulf %a, %xv : f32
        %q = arith.addf %p, %yv : f32
        memref.store %q, %y[%i] : memref<?xf32>
      }
      gpu.return
    }
  }
  func.func @_QPsaxpy(%n: i32, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %ni = arith.index_cast %n : i32 to index
    %blocks = arith.ceildivui %ni, %c128 : index
    %s = gpu.wait async
    %dx, %t0 = gpu.alloc async [%s] (%ni) : memref<?xf32>
    %dy, %t1 = gpu.alloc async [%t0] (%ni) : memref<?xf32>
    %t2 = gpu.memcpy async [%t1] %dx, %x : memref<?xf32>, memref<?xf32>
    %t3 = gpu.memcpy async [%t2] %dy, %y : memref<?xf32>, memref<?xf32>
    %t4 = gpu.launch_func async [%t3] @acc_mod::@saxpy blocks in (%blocks, %c1, %c1) threads in (%c128, %c1, %c1) args(%n : i32, %a : f32, %dx : memref<?xf32>, %dy : memref<?xf32>)
    %t5 = gpu.memcpy async [%t4] %y, %dy : memref<?xf32>, memref<?xf32>
    gpu.wait [%t5]
    %q = gpu.wait async
    %t6 = gpu.dealloc async [%q] %dx : memref<?xf32>
    %t7 = gpu.dealloc async [%t6] %dy : memref<?xf32>
    gpu.wait [%t7]
    return
  }
}
