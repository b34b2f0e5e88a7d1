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
// RELEASES: 22
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
// RELEASES: 22
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
