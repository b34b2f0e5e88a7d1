// FACT rejects_loudly: --gpu-to-llvm
// TRUE: failed to legalize
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>
  return
}
// -----
// FACT greedy_prepass: --gpu-to-llvm
// FALSE: gpu\.alloc|@mgpuMemAlloc
func.func @f() {
  %m = gpu.alloc () : memref<4xf32>
  return
}
// -----
// FACT alloc_needs_one_dependency: --gpu-to-llvm
// FALSE: call @mgpuMemAlloc
func.func @f() {
  %m, %t = gpu.alloc async () : memref<4xf32>
  gpu.wait [%t]
  return
}
// -----
// FACT alloc_null_token: --gpu-to-llvm
// TRUE: call @mgpuMemAlloc[\s\S]*call @mgpuEventSynchronize
func.func @f() {
  %m, %t = gpu.alloc async () : memref<4xf32>
  gpu.wait [%t]
  return
}
// -----
// FACT launch_max_dependencies: --gpu-to-llvm
// None: call @mgpuStreamWaitEvent
// 1: .
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
  func.func @h() {
    %c = arith.constant 1 : index
    %a = gpu.wait async
    %b = gpu.wait async
    %l = gpu.launch_func async [%a, %b] @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
    gpu.wait [%l]
    return
  }
}
// -----
// FACT launch_sync_dependencies:
// 'verifier': ^exit 1
// 'error': ^exit 0
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
  func.func @h() {
    %c = arith.constant 1 : index
    %a = gpu.wait async
    gpu.launch_func [%a] @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
    return
  }
}
// -----
// FACT host_shared: --gpu-to-llvm
// 'sync': call @mgpuMemAlloc[\s\S]*call @mgpuMemAlloc
// 'sync-at-most-one': call @mgpuMemAlloc
// 'never': .
func.func @none() -> memref<4xf32> {
  %m = gpu.alloc host_shared () : memref<4xf32>
  return %m : memref<4xf32>
}
func.func @two() -> memref<4xf32> {
  %a = gpu.wait async
  %b = gpu.wait async
  %m = gpu.alloc [%a, %b] host_shared () : memref<4xf32>
  return %m : memref<4xf32>
}
// -----
// FACT memset_widths: --gpu-to-llvm
// {16, 32}: call @mgpuMemset16
// {32}: .
func.func @f(%m: memref<4xf16>, %v: f16) {
  %t = gpu.wait async
  %u = gpu.memset async [%t] %m, %v : memref<4xf16>, f16
  gpu.wait [%u]
  return
}
// -----
// FACT memset_complex_crashes: --gpu-to-llvm
// TRUE: ^crash
func.func @f(%m: memref<4xcomplex<f32>>, %v: complex<f32>) {
  %t = gpu.wait async
  %u = gpu.memset async [%t] %m, %v : memref<4xcomplex<f32>>, complex<f32>
  gpu.wait [%u]
  return
}
// -----
// FACT alloc_in_any_space: --gpu-to-llvm
// TRUE: call @mgpuMemAlloc
func.func @f() {
  %t = gpu.wait async
  %m, %u = gpu.alloc async [%t] () : memref<4xf32, 1>
  gpu.wait [%u]
  return
}
// -----
// FACT gpu_address_space_lowers: --gpu-to-llvm
// TRUE: call @mgpuMemcpy
func.func @f(%a: memref<4xf32, #gpu.address_space<global>>, %b: memref<4xf32, #gpu.address_space<global>>) {
  %t = gpu.wait async
  %u = gpu.memcpy async [%t] %a, %b : memref<4xf32, #gpu.address_space<global>>, memref<4xf32, #gpu.address_space<global>>
  gpu.wait [%u]
  return
}
// -----
// FACT gpu_address_space_alloc_crashes: --gpu-to-llvm
// TRUE: ^crash
func.func @f() {
  %t = gpu.wait async
  %m, %u = gpu.alloc async [%t] () : memref<4xf32, #gpu.address_space<global>>
  gpu.wait [%u]
  return
}
// -----
// FACT reserved_functions_have_types: --gpu-to-llvm
// TRUE: ^exit 0[\s\S]*= memref\.alloc
func.func @f() -> memref<4xf32> {
  %m = memref.alloc() : memref<4xf32>
  return %m : memref<4xf32>
}
llvm.func @malloc(i32) -> i32
// -----
// FACT launch_result_crashes_parser:
// TRUE: ^crash
func.func @f(%c: index) {
  %r = gpu.launch blocks(%x, %y, %z) in (%i = %c, %j = %c, %k = %c) threads(%u, %v, %w) in (%l = %c, %m = %c, %n = %c) {
  gpu.terminator
  }
  return
}
// -----
// FACT launch_clusters:
// TRUE: ^exit 0
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
  func.func @h() {
    %c = arith.constant 1 : index
    gpu.launch_func @k::@f clusters in (%c, %c, %c) blocks in (%c, %c, %c) threads in (%c, %c, %c)
    return
  }
}
// -----
// FACT launch_integer_sizes:
// TRUE: ^exit 0
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
  func.func @h(%d: i64) {
    %c = arith.constant 1 : index
    gpu.launch_func @k::@f blocks in (%d, %d, %d) threads in (%d, %d, %d) : i64
    return
  }
}
// -----
// FACT async_object:
// TRUE: ^exit 0
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
  func.func @h(%s: !llvm.ptr) {
    %c = arith.constant 1 : index
    gpu.launch_func <%s : !llvm.ptr> @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
    return
  }
}
// -----
// FACT async_object_conflict:
// 'stream-based and dependency-based async models are mutually exclusive': models are mutually exclusive
// 'cannot have both async dependencies and an explicit async object': cannot have both async dependencies
// '': .
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
  func.func @h(%s: !llvm.ptr) {
    %c = arith.constant 1 : index
    %t = gpu.wait async
    %l = gpu.launch_func async [%t] <%s : !llvm.ptr> @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
    gpu.wait [%l]
    return
  }
}
// -----
// FACT async_object_excludes_async:
// TRUE: models are mutually exclusive|cannot have both
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f() kernel {
      gpu.return
    }
  }
  func.func @h(%s: !llvm.ptr) {
    %c = arith.constant 1 : index
    %l = gpu.launch_func async <%s : !llvm.ptr> @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
    gpu.wait [%l]
    return
  }
}
// -----
// FACT async_object_on_launch:
// TRUE: ^exit 0
func.func @f(%c: index, %s: !llvm.ptr) {
  gpu.launch <%s : !llvm.ptr> blocks(%x, %y, %z) in (%i = %c, %j = %c, %k = %c) threads(%u, %v, %w) in (%l = %c, %m = %c, %n = %c) {
  gpu.terminator
  }
  return
}
// -----
// FACT launch_checked_after_conversion: --gpu-to-llvm
// TRUE: kernel operands but expected
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f(%m: memref<4xf32>) kernel {
      gpu.return
    }
  }
  func.func @h(%m: memref<4xf32>) {
    %c = arith.constant 1 : index
    gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
    return
  }
}
// -----
// FACT intersperse_sizes: --gpu-to-llvm=intersperse-sizes-for-kernels=1
// TRUE: ^exit 0
module {
}
// -----
// FACT opaque_pointers: --gpu-to-llvm
// FALSE: !llvm\.ptr<
func.func @f(%m: memref<4xf32>) {
  return
}
// -----
// FACT annotated_binaries: --gpu-to-llvm=gpu-binary-annotation=nvvm.cubin
// TRUE: ^exit 0
module {
}
// -----
// FACT alloc_host_shared_argument: --gpu-to-llvm
// TRUE: @mgpuMemAlloc\(i64, !llvm\.ptr, i8\)
func.func @f() {
  %t = gpu.wait async
  %m, %u = gpu.alloc async [%t] () : memref<4xf32>
  gpu.wait [%u]
  return
}
// -----
// FACT copy_size_from_sizes: --gpu-to-llvm
// FALSE: extractvalue [^\n]*\[4, 0\]|failed to
func.func @f(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  %t = gpu.wait async
  %u = gpu.memcpy async [%t] %a, %b : memref<?x?xf32>, memref<?x?xf32>
  gpu.wait [%u]
  return
}
// -----
// FACT container_word:
// 'module': kernel module 'x'
// 'container': kernel container 'x'
module attributes {gpu.container_module} {
func.func @f() {
  %c = arith.constant 1 : index
  gpu.launch_func @x::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
  return
}
}
// -----
// FACT exchange_says_signless:
// TRUE: must be signless integer
func.func @f(%p: !llvm.ptr, %v: f32) {
  %r = llvm.cmpxchg %p, %v, %v acq_rel monotonic : !llvm.ptr, f32
  return
}
// -----
// FACT reads_all_shapes: --gpu-to-llvm
// FALSE: memref\.reshape
func.func @f(%m: memref<4xf32>, %s: memref<2xi32>) -> memref<?x?xf32> {
  %r = memref.reshape %m(%s) : (memref<4xf32>, memref<2xi32>) -> memref<?x?xf32>
  return %r : memref<?x?xf32>
}
// -----
// FACT converts_poison: --gpu-to-llvm
// FALSE: ^exit 0[\s\S]*= ub\.poison
func.func @f() -> i32 {
  %p = ub.poison : i32
  return %p : i32
}
// -----
// FACT converts_index_and_complex: --gpu-to-llvm
// TRUE: llvm\.add
func.func @f(%a: index) -> index {
  %b = index.add %a, %a
  return %b : index
}
// -----
// FACT converts_math: --gpu-to-llvm
// TRUE: llvm\.intr\.exp
func.func @f(%a: f32) -> f32 {
  %b = math.exp %a : f32
  return %b : f32
}
// -----
// FACT copy_in_any_space: --gpu-to-llvm
// TRUE: addrspacecast
func.func @f(%a: memref<4xf32, 1>, %b: memref<4xf32, 1>) {
  %t = gpu.wait async
  %u = gpu.memcpy async [%t] %a, %b : memref<4xf32, 1>, memref<4xf32, 1>
  gpu.wait [%u]
  return
}
// -----
// FACT malloc_before_memory_space: --gpu-to-llvm
// TRUE: @malloc[\s\S]*= memref\.alloc
func.func @f() -> memref<4xf32, #gpu.address_space<global>> {
  %m = memref.alloc() : memref<4xf32, #gpu.address_space<global>>
  return %m : memref<4xf32, #gpu.address_space<global>>
}
// -----
// FACT one_launch_per_module: --gpu-to-llvm
// TRUE: redefinition of symbol
module attributes {gpu.container_module} {
  gpu.module @k attributes {gpu.binary = "x"} {
    llvm.func @f() attributes {gpu.kernel} {
      llvm.return
    }
  }
  func.func @h() {
    %c = arith.constant 1 : index
    gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
    gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
    return
  }
}
// -----
// FACT yield_keeps_stream_with_nvvm: --gpu-to-llvm
// TRUE: ^exit 0(?![\s\S]*mgpuEventRecord)
module {
  llvm.func @d() {
    %0 = nvvm.read.ptx.sreg.tid.x : i32
    llvm.return
  }
  func.func @f(%m: memref<4xf32>, %v: f32) {
    %a, %r = async.execute -> !async.value<!gpu.async.token> {
      %t = gpu.wait async
      %u = gpu.memset async [%t] %m, %v : memref<4xf32>, f32
      async.yield %u : !gpu.async.token
    }
    %w = async.await %r : !async.value<!gpu.async.token>
    gpu.wait [%w]
    return
  }
}
// -----
// FACT keeps_targeted_launches: --gpu-to-llvm
// TRUE: index_cast|args\(%\w+ : memref
module attributes {gpu.container_module} {
  gpu.module @k [#nvvm.target] {
    llvm.func @f(%a: !llvm.ptr, %b: !llvm.ptr, %c: i64, %d: i64, %e: i64) attributes {gpu.kernel} {
      llvm.return
    }
  }
  func.func @h(%m: memref<4xf32>) {
    %c = arith.constant 1 : index
    gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
    return
  }
}
