// Loops over several counters, and linalg, in kernels: parts that overlap by a row.
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @rows(%u: memref<64x32xf32>, %base: index, %v: f32) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %b = gpu.block_id x
      %r = arith.addi %b, %base : index
      scf.parallel (%j) = (%c0) to (%c32) step (%c1) {
        memref.store %v, %u[%r, %j] : memref<64x32xf32>
        scf.reduce
      }
      gpu.return
    }
    gpu.func @blocks(%u: memref<64x32xf32>, %v: f32) kernel {
      %c16 = arith.constant 16 : index
      %b = gpu.block_id x
      %o = arith.muli %b, %c16 : index
      scf.forall (%i, %j) = (31, 0) to (64, 16) step (1, 1) {
        %k = arith.addi %j, %o : index
        memref.store %v, %u[%i, %k] : memref<64x32xf32>
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      gpu.return
    }
    gpu.func @sums(%u: memref<64x32xf32>, %w: memref<64xf32>, %x: index) kernel {
      affine.parallel (%i) = (max(0, 8)) to (min(41, 64)) {
        %s = affine.parallel (%j) = (0) to (32) reduce ("addf") -> f32 {
          %y = affine.load %u[%i, %j] : memref<64x32xf32>
          affine.yield %y : f32
        }
        affine.store %s, %w[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @relu(%u: memref<64x32xf32>, %base: index) kernel {
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %b = gpu.block_id x
      %o = arith.muli %b, %c4 : index
      %r = arith.addi %o, %base : index
      %tile = memref.subview %u[%r, 0] [4, 32] [1, 1] : memref<64x32xf32> to memref<4x32xf32, strided<[32, 1], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<4x32xf32, strided<[32, 1], offset: ?>>) {
      ^bb0(%x: f32):
        %y = arith.maximumf %x, %zero : f32
        linalg.yield %y : f32
      }
      gpu.return
    }
  }
  func.func @upper_and_lower(%u: memref<64x32xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %next = arith.constant 31 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@rows blocks in (%c32, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %c0 : index, %v : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %u while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%t] @m::@rows blocks in (%c32, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %next : index, %v : f32)
    gpu.wait [%a, %b]
    return
  }
  func.func @rows_and_blocks(%u: memref<64x32xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@rows blocks in (%c32, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %c0 : index, %v : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %u while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%t] @m::@blocks blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %v : f32)
    gpu.wait [%a, %b]
    return
  }
  func.func @sums_beside_rows(%u: memref<64x32xf32>, %w: memref<64xf32>, %v: f32) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c40 = arith.constant 40 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@sums blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %w : memref<64xf32>, %c8 : index)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %u while the earlier gpu.launch_func that reads it may still be running.}}
    %b = gpu.launch_func async [%t] @m::@rows blocks in (%c24, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %c40 : index, %v : f32)
    gpu.wait [%a, %b]
    return
  }
  func.func @tiles(%u: memref<64x32xf32>, %g: index, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %next = arith.constant 31 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@relu blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %c0 : index)
    // expected-warning @+1 {{GA301: This gpu.launch_func may read and write %u while the earlier gpu.launch_func, which may read and write it, may still be running.}}
    %b = gpu.launch_func async [%t] @m::@relu blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %next : index)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @rows(%u: memref<64x32xf32>, %base: index, %v: f32) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %b = gpu.block_id x
      %r = arith.addi %b, %base : index
      scf.parallel (%j) = (%c0) to (%c32) step (%c1) {
        memref.store %v, %u[%r, %j] : memref<64x32xf32>
        scf.reduce
      }
      gpu.return
    }
    gpu.func @blocks(%u: memref<64x32xf32>, %v: f32) kernel {
      %c16 = arith.constant 16 : index
      %b = gpu.block_id x
      %o = arith.muli %b, %c16 : index
      scf.forall (%i, %j) = (32, 0) to (64, 16) step (1, 1) {
        %k = arith.addi %j, %o : index
        memref.store %v, %u[%i, %k] : memref<64x32xf32>
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      gpu.return
    }
    gpu.func @sums(%u: memref<64x32xf32>, %w: memref<64xf32>, %x: index) kernel {
      affine.parallel (%i) = (max(0, 8)) to (min(40, 64)) {
        %s = affine.parallel (%j) = (0) to (32) reduce ("addf") -> f32 {
          %y = affine.load %u[%i, %j] : memref<64x32xf32>
          affine.yield %y : f32
        }
        affine.store %s, %w[%i] : memref<64xf32>
      }
      gpu.return
    }
    gpu.func @relu(%u: memref<64x32xf32>, %base: index) kernel {
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %b = gpu.block_id x
      %o = arith.muli %b, %c4 : index
      %r = arith.addi %o, %base : index
      %tile = memref.subview %u[%r, 0] [4, 32] [1, 1] : memref<64x32xf32> to memref<4x32xf32, strided<[32, 1], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%tile : memref<4x32xf32, strided<[32, 1], offset: ?>>) {
      ^bb0(%x: f32):
        %y = arith.maximumf %x, %zero : f32
        linalg.yield %y : f32
      }
      gpu.return
    }
  }
  func.func @upper_and_lower(%u: memref<64x32xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %next = arith.constant 32 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@rows blocks in (%c32, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %c0 : index, %v : f32)
    %b = gpu.launch_func async [%t] @m::@rows blocks in (%c32, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %next : index, %v : f32)
    gpu.wait [%a, %b]
    return
  }
  func.func @rows_and_blocks(%u: memref<64x32xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@rows blocks in (%c32, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %c0 : index, %v : f32)
    %b = gpu.launch_func async [%t] @m::@blocks blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %v : f32)
    gpu.wait [%a, %b]
    return
  }
  func.func @sums_beside_rows(%u: memref<64x32xf32>, %w: memref<64xf32>, %v: f32) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c40 = arith.constant 40 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@sums blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %w : memref<64xf32>, %c8 : index)
    %b = gpu.launch_func async [%t] @m::@rows blocks in (%c24, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %c40 : index, %v : f32)
    gpu.wait [%a, %b]
    return
  }
  func.func @tiles(%u: memref<64x32xf32>, %g: index, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %next = arith.constant 32 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@relu blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %c0 : index)
    %b = gpu.launch_func async [%t] @m::@relu blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<64x32xf32>, %next : index)
    gpu.wait [%a, %b]
    return
  }
}
