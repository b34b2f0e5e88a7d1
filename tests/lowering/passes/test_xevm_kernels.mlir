// PASS: convert-gpu-to-llvm-spv{use-64bit-index=1}
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>, %b: memref<?xf32, #gpu.address_space<global>>, %i: i32) workgroup(%w: memref<4x2xf32, #gpu.address_space<workgroup>>, %w2: memref<8xi8, #gpu.address_space<workgroup>>) private(%p: memref<3xf32, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = gpu.thread_id x
    %y = gpu.block_id y
    %d = gpu.block_dim z
    %g = gpu.grid_dim x
    %gl = gpu.global_id x
    %x2 = gpu.thread_id x upper_bound 32
    gpu.barrier
    %l = gpu.lane_id
    %s = gpu.subgroup_id : index
    %n = gpu.num_subgroups : index
    %z = gpu.subgroup_size : index
    %v = memref.load %a[%x] : memref<4xf32>
    memref.store %v, %b[%x] : memref<?xf32, #gpu.address_space<global>>
    %c0 = arith.constant 0 : index
    memref.store %v, %w[%c0, %c0] : memref<4x2xf32, #gpu.address_space<workgroup>>
    memref.store %v, %p[%c0] : memref<3xf32, #gpu.address_space<private>>
    %c32 = arith.constant 32 : i32
    gpu.printf "x %d %f\n", %i, %v : i32, f32
    gpu.return
  }
  gpu.func @f(%i: i32) -> i32 {
    gpu.return %i : i32
  }
}
// -----
// PASS: convert-gpu-to-llvm-spv{use-64bit-index=1}
gpu.module @m {
  gpu.func @k(%v: f32, %i: i32, %h: f16, %q: i1, %w: i8, %b: bf16) attributes {intel_reqd_sub_group_size = 16 : i32} {
    %c16 = arith.constant 16 : i32
    %sh, %ok = gpu.shuffle xor %v, %i, %c16 : f32
    %sh2, %ok2 = gpu.shuffle up %h, %i, %c16 : f16
    %sh3, %ok3 = gpu.shuffle down %q, %i, %c16 : i1
    %sh4, %ok4 = gpu.shuffle idx %w, %i, %c16 : i8
    %sh5, %ok5 = gpu.shuffle idx %b, %i, %c16 : bf16
    gpu.return
  }
  gpu.func @f(%a: memref<*xf32>) -> index {
    %l = gpu.lane_id
    %x = gpu.thread_id x
    %y = arith.addi %l, %x : index
    gpu.return %y : index
  }
}
// -----
// PASS: convert-gpu-to-llvm-spv
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>, %b: memref<?xf32, #gpu.address_space<global>>, %i: i32) workgroup(%w: memref<4x2xf32, #gpu.address_space<workgroup>>, %w2: memref<8xi8, #gpu.address_space<workgroup>>) private(%p: memref<3xf32, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = gpu.thread_id x
    %y = gpu.block_id y
    %d = gpu.block_dim z
    %g = gpu.grid_dim x
    %gl = gpu.global_id x
    %x2 = gpu.thread_id x upper_bound 32
    gpu.barrier
    %l = gpu.lane_id
    %s = gpu.subgroup_id : index
    %n = gpu.num_subgroups : index
    %z = gpu.subgroup_size : index
    %v = memref.load %a[%x] : memref<4xf32>
    memref.store %v, %b[%x] : memref<?xf32, #gpu.address_space<global>>
    %c0 = arith.constant 0 : index
    memref.store %v, %w[%c0, %c0] : memref<4x2xf32, #gpu.address_space<workgroup>>
    memref.store %v, %p[%c0] : memref<3xf32, #gpu.address_space<private>>
    %c32 = arith.constant 32 : i32
    gpu.printf "x %d %f\n", %i, %v : i32, f32
    gpu.return
  }
  gpu.func @f(%i: i32) -> i32 {
    gpu.return %i : i32
  }
}
// -----
// PASS: convert-math-to-xevm{convert-arith=true}
gpu.module @m {
  gpu.func @k(%v: f32, %w: vector<4xf16>, %u: vector<5xf64>) {
    %0 = math.exp %v fastmath<fast> : f32
    %1 = math.exp %v : f32
    %2 = math.powf %w, %w fastmath<reassoc,nnan,afn> : vector<4xf16>
    %3 = math.rsqrt %u fastmath<afn> : vector<5xf64>
    %4 = arith.divf %v, %v fastmath<afn> : f32
    %5 = arith.divf %v, %v : f32
    gpu.return
  }
}
// -----
// PASS: convert-xevm-to-llvm
gpu.module @m {
  llvm.func @k(%p: !llvm.ptr<1>, %w: i32, %x: i32, %v: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>, %l: !llvm.ptr<3>) {
    %0 = xevm.blockload2d %p, %w, %w, %w, %x, %x <{elem_size_in_bits=16 : i32, tile_width=16 : i32, tile_height=8 : i32, v_blocks=1 : i32, transpose=false, pack_register=false, cache_control=#xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    xevm.blockstore2d %p, %w, %w, %w, %x, %x, %0 <{elem_size_in_bits=16 : i32, tile_width=16 : i32, tile_height=8 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockprefetch2d %p, %w, %w, %w, %x, %x <{elem_size_in_bits=8 : i32, tile_width=32 : i32, tile_height=8 : i32, v_blocks=1 : i32, cache_control=#xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    %d = xevm.mma %0, %b, %c {shape=<m=8, n=16, k=16>, types=<d=f32, a=f16, b=f16, c=f32>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
    xevm.memfence <{addrspace=#xevm.addr_space<global>, scope=#xevm.mem_scope<workgroup>}>
    xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>)
    %e = xevm.blockload %p : (!llvm.ptr<1>) -> vector<4xi16>
    xevm.blockstore %l, %e : (!llvm.ptr<3>, vector<4xi16>)
    %id = xevm.local_id.x : i32
    %lane = xevm.lane_id : i32
    llvm.return
  }
}
// -----
// PASS: convert-xevm-to-llvm
gpu.module @m {
llvm.func @k(%p: !llvm.ptr<1>, %v: i32) {
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1uc_L2uc_L3c>}> : (!llvm.ptr<1>)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1uc_L2c_L3uc>}> : (!llvm.ptr<1>)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1uc_L2c_L3c>}> : (!llvm.ptr<1>)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3uc>}> : (!llvm.ptr<1>)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>}> : (!llvm.ptr<1>)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1s_L2uc_L3uc>}> : (!llvm.ptr<1>)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1s_L2c_L3c>}> : (!llvm.ptr<1>)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<ir>}> : (!llvm.ptr<1>)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1uc_L2uc_L3uc>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1uc_L2uc_L3wb>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1uc_L2wb_L3uc>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1wt_L2uc_L3uc>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1wt_L2uc_L3wb>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1s_L2uc_L3uc>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1s_L2uc_L3wb>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1wb_L2uc_L3uc>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1wb_L2wb_L3uc>} : (!llvm.ptr<1>, i32)
  xevm.blockstore %p, %v {cache_control = #xevm.store_cache_control<L1wb_L2uc_L3wb>} : (!llvm.ptr<1>, i32)
  llvm.return}
}
// -----
// PASS: convert-xegpu-to-xevm
gpu.module @m [#xevm.target] {
  gpu.func @fences(%p: i64, %q: ui64, %o: index, %m: memref<64xf32>) {
    xegpu.fence memory_kind = global, fence_scope = workgroup
    xegpu.fence memory_kind = slm, fence_scope = gpu
    xegpu.prefetch %p[%o] <{l1_hint = #xegpu.cache_hint<cached>, l3_hint = #xegpu.cache_hint<uncached>, offset_align_byte = 4 : i64}> : i64, index
    xegpu.prefetch %m[%o] <{l1_hint = #xegpu.cache_hint<streaming>}> : memref<64xf32>, index
    xegpu.prefetch %q[%o] <{offset_align_byte = 2 : i64}> : ui64, index
    gpu.return
  }
}
// -----
// PASS: convert-xegpu-to-xevm
gpu.module @m [#xevm.target] {
  gpu.func @rows(%p: i64, %i: index, %v: vector<4xf16>, %w: vector<8xi32>) -> vector<4xf16> {
    %d = xegpu.create_nd_tdesc %p, shape: [1024], strides: [1] : i64 -> !xegpu.tensor_desc<64xf16>
    %r = xegpu.load_nd %d[%i] : !xegpu.tensor_desc<64xf16> -> vector<4xf16>
    xegpu.store_nd %v, %d[%i] : vector<4xf16>, !xegpu.tensor_desc<64xf16>
    %e = xegpu.create_nd_tdesc %p, shape: [1024], strides: [1] : i64 -> !xegpu.tensor_desc<128xi32>
    xegpu.store_nd %w, %e[%i] : vector<8xi32>, !xegpu.tensor_desc<128xi32>
    gpu.return %r : vector<4xf16>
  }
}
// -----
// PASS: convert-xegpu-to-xevm
// RELEASES: 23
gpu.module @m [#xevm.target<chip = "pvc">] {
  gpu.func @matrix(%m: memref<8192xi8, 3>, %i: index, %j: index, %v: vector<8xf16>, %f: f32) -> (vector<8xf16>, vector<4xf32>, f32) {
    %d = xegpu.create_mem_desc %m : memref<8192xi8, 3> -> !xegpu.mem_desc<64x64xf16, #xegpu.mem_layout<stride = [1, 64], block = [16, 16]>>
    %a = xegpu.load_matrix %d[%i, %j] <{subgroup_block_io}> : !xegpu.mem_desc<64x64xf16, #xegpu.mem_layout<stride = [1, 64], block = [16, 16]>>, index, index -> vector<8xf16>
    xegpu.store_matrix %v, %d[%i, 16] <{subgroup_block_io}> : vector<8xf16>, !xegpu.mem_desc<64x64xf16, #xegpu.mem_layout<stride = [1, 64], block = [16, 16]>>, index
    %e = xegpu.create_mem_desc %m : memref<8192xi8, 3> -> !xegpu.mem_desc<32x64xf32>
    %b = xegpu.load_matrix %e[%i, 0] : !xegpu.mem_desc<32x64xf32>, index -> vector<4xf32>
    %c = xegpu.load_matrix %e[0, %j] : !xegpu.mem_desc<32x64xf32>, index -> f32
    xegpu.store_matrix %f, %e[%i, %j] : f32, !xegpu.mem_desc<32x64xf32>, index, index
    gpu.return %a, %b, %c : vector<8xf16>, vector<4xf32>, f32
  }
}
// -----
// PASS: convert-xegpu-to-xevm
gpu.module @m [#xevm.target] {
  gpu.func @products(%a: vector<8xbf16>, %b: vector<16xbf16>, %c: vector<8xf32>, %h: vector<8xf16>, %x: vector<16xf16>, %g: vector<8xf16>) -> (vector<8xf32>, vector<8xf32>, vector<8xf16>) {
    %0 = xegpu.dpas %a, %b, %c : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
    %1 = xegpu.dpas %a, %b : vector<8xbf16>, vector<16xbf16> -> vector<8xf32>
    %3 = xegpu.dpas %h, %x, %g : vector<8xf16>, vector<16xf16>, vector<8xf16> -> vector<8xf16>
    gpu.return %0, %1, %3 : vector<8xf32>, vector<8xf32>, vector<8xf16>
  }
}
// -----
// PASS: convert-xegpu-to-xevm
// RELEASES: 22
gpu.module @m {
  gpu.func @bytes(%i: vector<16xi8>, %k: vector<32xi8>, %s: vector<8xi32>, %u: vector<16xui8>, %w: vector<32xui8>) -> (vector<8xi32>, vector<8xi32>) {
    %0 = xegpu.dpas %i, %k, %s : vector<16xi8>, vector<32xi8>, vector<8xi32> -> vector<8xi32>
    %1 = xegpu.dpas %u, %w, %s : vector<16xui8>, vector<32xui8>, vector<8xi32> -> vector<8xi32>
    gpu.return %0, %1 : vector<8xi32>, vector<8xi32>
  }
}
// -----
// PASS: convert-xegpu-to-xevm
gpu.module @m [#xevm.target] {
  gpu.func @loop(%m: memref<?x?xf16, strided<[?, 1], offset: ?>>, %h: index, %w: index, %n: index, %z: vector<8x1xf32>, %y: index) -> vector<8x1xf32> {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %d = xegpu.create_nd_tdesc %m, shape: [%h, %w], strides: [%w, 1] : memref<?x?xf16, strided<[?, 1], offset: ?>> -> !xegpu.tensor_desc<8x16xf16>
    %e = xegpu.create_nd_tdesc %m, shape: [%h, 64], strides: [64, 1] : memref<?x?xf16, strided<[?, 1], offset: ?>> -> !xegpu.tensor_desc<16x16xf16>
    %r:2 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %z, %k = %c0) -> (vector<8x1xf32>, index) {
      %a = xegpu.load_nd %d[%y, %i] : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
      %b = xegpu.load_nd %e[%k, 0] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %c = vector.shape_cast %acc : vector<8x1xf32> to vector<8xf32>
      %s = xegpu.dpas %a, %b, %c : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %t = vector.shape_cast %s : vector<8xf32> to vector<8x1xf32>
      xegpu.prefetch_nd %d[%y, %k] <{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<cached>, l3_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<8x16xf16>
      %k1 = arith.addi %k, %c16 : index
      scf.yield %t, %k1 : vector<8x1xf32>, index
    }
    gpu.return %r#0 : vector<8x1xf32>
  }
}
// -----
// PASS: convert-xegpu-to-xevm
gpu.module @m [#xevm.target] {
  gpu.func @one(%m: memref<32x16xf32>, %p: i32, %i: index, %k: i1, %t: vector<1xf32>) -> vector<1xf32> {
    %d = xegpu.create_nd_tdesc %m : memref<32x16xf32> -> !xegpu.tensor_desc<1x16xf32>
    %a = xegpu.load_nd %d[%i, 0] : !xegpu.tensor_desc<1x16xf32> -> vector<1xf32>
    %s = arith.addf %a, %t : vector<1xf32>
    xegpu.store_nd %a, %d[%i, 0] : vector<1xf32>, !xegpu.tensor_desc<1x16xf32>
    xegpu.store_nd %s, %d[0, %i] <{l1_hint = #xegpu.cache_hint<write_through>, l3_hint = #xegpu.cache_hint<write_back>}> : vector<1xf32>, !xegpu.tensor_desc<1x16xf32>
    %r = scf.if %k -> (vector<1xf32>) {
      scf.yield %a : vector<1xf32>
    } else {
      scf.yield %s : vector<1xf32>
    }
    gpu.return %r : vector<1xf32>
  }
}
// -----
// PASS: convert-xegpu-to-xevm
gpu.module @m [#xevm.target] {
  gpu.func @gather(%p: i32, %q: ui32, %m: memref<256xf16, 3>, %i: index, %k: i1, %o: vector<1xindex>, %g: vector<1xi1>, %v: vector<4xf16>, %f: vector<1xi32>) -> (vector<4xf16>, vector<1xi32>, vector<1xf16>) {
    %a = xegpu.load %p[%i], %k <{chunk_size = 4 : i64}> : i32, index, i1 -> vector<4xf16>
    %b = xegpu.load %q[%o], %g : ui32, vector<1xindex>, vector<1xi1> -> vector<1xi32>
    %c = xegpu.load %m[%o], %g <{l1_hint = #xegpu.cache_hint<streaming>, l3_hint = #xegpu.cache_hint<cached>}> : memref<256xf16, 3>, vector<1xindex>, vector<1xi1> -> vector<1xf16>
    xegpu.store %v, %p[%i], %k <{chunk_size = 4 : i64, l1_hint = #xegpu.cache_hint<write_back>}> : vector<4xf16>, i32, index, i1
    xegpu.store %f, %q[%o], %g : vector<1xi32>, ui32, vector<1xindex>, vector<1xi1>
    gpu.return %a, %b, %c : vector<4xf16>, vector<1xi32>, vector<1xf16>
  }
}
// -----
// PASS: convert-xegpu-to-xevm
gpu.module @m [#xevm.target] {
  gpu.func @narrow(%p: i64, %i: index, %v: vector<16xf16>, %w: vector<16xf4E2M1FN>, %u: vector<4xf16>) -> (vector<16xf8E5M2>, vector<16xbf16>, vector<4xf32>) {
    %0 = arith.truncf %v : vector<16xf16> to vector<16xf8E5M2>
    %1 = arith.extf %w : vector<16xf4E2M1FN> to vector<16xbf16>
    %2 = arith.extf %u : vector<4xf16> to vector<4xf32>
    xegpu.fence memory_kind = global, fence_scope = workgroup
    gpu.return %0, %1, %2 : vector<16xf8E5M2>, vector<16xbf16>, vector<4xf32>
  }
}
// -----
// PASS: convert-xegpu-to-xevm
gpu.module @m [#xevm.target] {
  gpu.func @tiles(%m: memref<4x64x64xf16>, %b: memref<128x128xi8>, %f: memref<64x64xf32>, %i: index, %j: i32) -> (vector<8xf16>, vector<32xi8>, vector<8xf32>, vector<16xf16>) {
    %d = xegpu.create_nd_tdesc %b : memref<128x128xi8> -> !xegpu.tensor_desc<32x16xi8>
    %1 = xegpu.load_nd %d[%i, %i] : !xegpu.tensor_desc<32x16xi8> -> vector<32xi8>
    %e = xegpu.create_nd_tdesc %f : memref<64x64xf32> -> !xegpu.tensor_desc<16x8xf32>
    %2 = xegpu.load_nd %e[%i, 8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xf32> -> vector<8xf32>
    %s = memref.subview %m[1, 0, 0] [1, 64, 64] [1, 1, 1] : memref<4x64x64xf16> to memref<64x64xf16, strided<[64, 1], offset: 4096>>
    %g = xegpu.create_nd_tdesc %s : memref<64x64xf16, strided<[64, 1], offset: 4096>> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2>>
    %3 = xegpu.load_nd %g[0, %i] <{l1_hint = #xegpu.cache_hint<read_invalidate>}> : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2>> -> vector<16xf16>
    %h = vector.extract_strided_slice %3 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    gpu.return %h, %1, %2, %3 : vector<8xf16>, vector<32xi8>, vector<8xf32>, vector<16xf16>
  }
}
// -----
// PASS: convert-xevm-to-llvm
gpu.module @m {
llvm.func @k(%p: !llvm.ptr<1>, %w: i32, %x: i32, %v: vector<8xi16>, %q: !llvm.ptr<1>) {
  %0 = xevm.blockload2d %p, %w, %w, %w, %x, %x <{elem_size_in_bits=16 : i32, tile_width=16 : i32, tile_height=8 : i32, v_blocks=1 : i32, transpose=false, pack_register=false, cache_control=#xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
  xevm.blockstore2d %p, %w, %w, %w, %x, %x, %0 <{elem_size_in_bits=16 : i32, tile_width=16 : i32, tile_height=8 : i32, cache_control=#xevm.store_cache_control<L1wb_L2uc_L3wb>}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
  xevm.blockprefetch2d %p, %w, %w, %w, %x, %x <{elem_size_in_bits=8 : i32, tile_width=32 : i32, tile_height=8 : i32, v_blocks=1 : i32, cache_control=#xevm.load_cache_control<L1c_L2uc_L3c>}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>)
  %e = xevm.blockload %p : (!llvm.ptr<1>) -> vector<4xi16>
  xevm.blockstore %p, %e : (!llvm.ptr<1>, vector<4xi16>)
  %z = llvm.load %q {cache_control = #xevm.load_cache_control<L1uc_L2uc_L3uc>} : !llvm.ptr<1> -> i32
  llvm.store %z, %q {cache_control = #xevm.store_cache_control<L1uc_L2uc_L3wb>} : i32, !llvm.ptr<1>
  llvm.return
}
}
// -----
// PASS: convert-xevm-to-llvm
gpu.module @m { llvm.func @k(%a: vector<4xf32>, %b: vector<8xf32>, %c: vector<8xf32>, %d: vector<4xi32>, %e: vector<8xi32>) {
  %0 = xevm.mma %a, %b, %c {shape=<m=8, n=16, k=8>, types=<d=f32, a=tf32, b=tf32, c=f32>} : (vector<4xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %1 = xevm.mma %d, %e, %c {shape=<m=8, n=16, k=8>, types=<d=f32, a=tf32, b=tf32, c=f32>} : (vector<4xi32>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
  llvm.return } }
// -----
// PASS: convert-xevm-to-llvm
gpu.module @m { llvm.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<3>, %v: i32) { xevm.prefetch %p <{cache_control = #xevm.load_cache_control<ir>}> : (!llvm.ptr<1>)
 xevm.blockstore %q, %v {cache_control = #xevm.store_cache_control<L1s_L2uc_L3uc>} : (!llvm.ptr<3>, i32)
 xevm.blockstore %q, %v {cache_control = #xevm.store_cache_control<L1wt_L2uc_L3wb>} : (!llvm.ptr<3>, i32)
 llvm.return }
}
