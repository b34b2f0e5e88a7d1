//// KERNEL
#ws = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  func.func @main(%x: memref<256xf32>) {
    %one = arith.constant 1 : index
    %g = arith.constant 4 : index
    %b = arith.constant 64 : index
    PRE
    gpu.launch_func @m::@k CLUSTERS blocks in (GRID, %one, %one) threads in (BLOCK, %one, %one) DYNAMIC
        args(%x : memref<256xf32>)
    POST
    return
  }
  gpu.module @m {
    gpu.func @k(%x: memref<256xf32>) kernel {
      %t = gpu.thread_id x
      %i = gpu.global_id x
      BODY
      gpu.return
    }
  }
}
//// REGISTERS

func.func @main(%x: memref<256xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %ua = memref.cast %a : memref<16xf32> to memref<*xf32>
  %ub = memref.cast %b : memref<16xf32> to memref<*xf32>
  %ux = memref.cast %x : memref<256xf32> to memref<*xf32>
  gpu.host_register %ua : memref<*xf32>
  gpu.host_register %ub : memref<*xf32>
  gpu.host_register %ux : memref<*xf32>
  %s = gpu.wait async
  %d, %t = gpu.alloc async [%s] () : memref<16xf32>
  %u = gpu.memcpy async [%t] %d, %b : memref<16xf32>, memref<16xf32>
  %v = gpu.memcpy async [%u] %a, %d : memref<16xf32>, memref<16xf32>
  %w = gpu.dealloc async [%v] %d : memref<16xf32>
  gpu.wait [%w]
  gpu.host_unregister %ua : memref<*xf32>
  gpu.host_unregister %ub : memref<*xf32>
  gpu.host_unregister %ux : memref<*xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}
//// BULK

module attributes {gpu.container_module} {
  func.func @main(%x: memref<256xf32>) {
    %one = arith.constant 1 : index
    %b = arith.constant 64 : index
    gpu.launch_func @m::@k blocks in (%one, %one, %one) threads in (%b, %one, %one) args(%x : memref<256xf32>)
    return
  }
  gpu.module @m {
    llvm.mlir.global internal @barrier() {addr_space = 3 : i32, alignment = 8 : i64} : i64
    llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
    gpu.func @k(%x: memref<256xf32>) kernel {
      %t = gpu.thread_id x
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 256 : i32
      %ticks = arith.constant 1000000 : i32
      %first = arith.constant 0 : index
      %barrier = llvm.mlir.addressof @barrier : !llvm.ptr<3>
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %leads = arith.cmpi eq, %t, %first : index
      scf.if %leads {
        nvvm.mbarrier.init %barrier, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %leads {
        %address = memref.extract_aligned_pointer_as_index %x : memref<256xf32> -> index
        %number = arith.index_cast %address : index to i64
        %any = llvm.inttoptr %number : i64 to !llvm.ptr
        %source = llvm.addrspacecast %any : !llvm.ptr to !llvm.ptr<1>
        %target = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr<7>
        nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32
        nvvm.cp.async.bulk.shared.cluster.global %target, %source, %barrier, %bytes
            : !llvm.ptr<7>, !llvm.ptr<1>
      }
      nvvm.mbarrier.try_wait.parity %barrier, %zero, %ticks : !llvm.ptr<3>, i32, i32
      %lane = arith.index_cast %t : index to i32
      %element = llvm.getelementptr %tile[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %read = llvm.load %element : !llvm.ptr<3> -> f32
      %more = arith.constant 1.0 : f32
      %sum = arith.addf %read, %more : f32
      memref.store %sum, %x[%t] : memref<256xf32>
      gpu.return
    }
  }
}
