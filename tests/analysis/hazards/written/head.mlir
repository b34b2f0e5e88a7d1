!tok = !gpu.async.token
!w = memref<64xf32>
!v = memref<?xf32>
!part = memref<?xf32, strided<[1], offset: ?>>
!mat = memref<?x?xf32>
!tile = memref<?x?xf32, strided<[?, 1], offset: ?>>
module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @scale(%x: !v) kernel {
    %t = gpu.global_id x
    %a = memref.load %x[%t] : !v
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%t] : !v
    gpu.return
  }
  gpu.func @copy(%x: !v, %y: !v) kernel {
    %t = gpu.global_id x
    %a = memref.load %x[%t] : !v
    memref.store %a, %y[%t] : !v
    gpu.return
  }
  gpu.func @fill(%x: !v, %a: f32) kernel {
    %t = gpu.global_id x
    memref.store %a, %x[%t] : !v
    gpu.return
  }
  gpu.func @add(%x: !v, %y: !v, %z: !v) kernel {
    %t = gpu.global_id x
    %a = memref.load %x[%t] : !v
    %b = memref.load %y[%t] : !v
    %c = arith.addf %a, %b : f32
    memref.store %c, %z[%t] : !v
    gpu.return
  }
  gpu.func @fill_part(%x: !part, %a: f32) kernel {
    %t = gpu.thread_id x
    memref.store %a, %x[%t] : !part
    gpu.return
  }
  gpu.func @copy_part(%x: !part, %y: !part) kernel {
    %t = gpu.thread_id x
    %a = memref.load %x[%t] : !part
    memref.store %a, %y[%t] : !part
    gpu.return
  }
  gpu.func @fill_tile(%x: !tile, %a: f32) kernel {
    %i = gpu.thread_id y
    %j = gpu.thread_id x
    memref.store %a, %x[%i, %j] : !tile
    gpu.return
  }
  gpu.func @copy_tile(%x: !tile, %y: !tile) kernel {
    %i = gpu.thread_id y
    %j = gpu.thread_id x
    %a = memref.load %x[%i, %j] : !tile
    memref.store %a, %y[%i, %j] : !tile
    gpu.return
  }
  gpu.func @stencil(%x: !mat, %y: !mat) kernel {
    %i = gpu.block_id x
    %j = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %k = arith.addi %j, %c1 : index
    %a = memref.load %x[%i, %j] : !mat
    %b = memref.load %x[%i, %k] : !mat
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i, %j] : !mat
    gpu.return
  }
  gpu.func @gemm(%x: !mat, %y: !mat, %z: !mat) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f0 = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %j = gpu.thread_id x
    %n = memref.dim %x, %c1 : !mat
    %s = scf.for %l = %c0 to %n step %c1 iter_args(%acc = %f0) -> (f32) {
      %a = memref.load %x[%i, %l] : !mat
      %b = memref.load %y[%l, %j] : !mat
      %m = arith.mulf %a, %b : f32
      %r = arith.addf %acc, %m : f32
      scf.yield %r : f32
    }
    memref.store %s, %z[%i, %j] : !mat
    gpu.return
  }
  gpu.func @reduce(%x: !v, %acc: memref<f32>) kernel {
    %t = gpu.global_id x
    %a = memref.load %x[%t] : !v
    %old = memref.atomic_rmw addf %a, %acc[] : (f32, memref<f32>) -> f32
    gpu.return
  }
}
func.func private @printMemrefF32(memref<*xf32>)
