// Errors of the verifier after a pass.
// RUN: mlir-opt %s --lower-affine
// LLVM: 22
func.func @f() {
  // expected-error @+1 {{'scf.parallel' op constant step operand must be positive}}
  affine.parallel (%x) = (0) to (10) step (0) { }
  return
}
// -----
// RUN: mlir-opt %s --lower-affine
// LLVM: 16
func.func @f() {
  // expected-error @+1 {{'scf.parallel' op needs at least one tuple element for lowerBound, upperBound and step}}
  affine.parallel () = () to () step () { }
  return
}
// -----
// RUN: mlir-opt %s --lower-affine
// LLVM: 18
func.func @f() {
  // expected-error @+1 {{'scf.for' op constant step operand must be positive}}
  affine.for %x = 0 to 10 step 0 { }
  return
}
// -----
// RUN: mlir-opt %s --lower-affine
// LLVM: 19
// CHECK: scf.for
func.func @f() {
  affine.for %x = 0 to 10 step 0 { }
  return
}
// -----
// RUN: mlir-opt %s --lower-affine
// LLVM: 19, where mlir-opt crashes
func.func @f() {
  // expected-error @+1 {{'affine.for' op has a map without a result}}
  affine.for %x = max affine_map<() -> ()>() to 10 { }
  return
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 19 22
func.func @f(%i: index, %b: i1) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%tx, %ty, %tz) in (%sx = %i, %sy = %i, %sz = %i) {
    // expected-error @+1 {{expected 'gpu.terminator' or a terminator with successors}}
    cf.assert %b, "no"
    gpu.terminator
  }
  return
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 22
// CHECK: llvm.func @f
func.func @f(%i: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%tx, %ty, %tz) in (%sx = %i, %sy = %i, %sz = %i) {
    gpu.terminator
  }
  return
}
// -----
// RUN: mlir-opt %s --convert-gpu-to-nvvm
// LLVM: 19
gpu.module @m {
  gpu.func @k(%b: i1) kernel {
    // expected-error @+1 {{'llvm.mlir.addressof' op must reference a global defined by 'llvm.mlir.global' or 'llvm.func'}}
    cf.assert %b, "no"
    gpu.return
  }
}
// -----
// RUN: mlir-opt %s --convert-gpu-to-rocdl
// LLVM: 21
gpu.module @m {
  gpu.func @k(%b: i1) kernel {
    // expected-error @+1 {{'llvm.mlir.addressof' op must reference a global defined by 'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func'}}
    cf.assert %b, "no"
    gpu.return
  }
}
// -----
// RUN: mlir-opt %s --convert-gpu-to-nvvm
// LLVM: 22
// DIFFERS: the file of the assertion is not known here
// CHECK: llvm.call @__assertfail
gpu.module @m {
  gpu.func @k(%b: i1) kernel {
    cf.assert %b, "no"
    gpu.return
  }
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 18 19 20
func.func @f(%a: memref<8xf32>, %i: index) -> f32 {
  gpu.wait
  // expected-error @+1 {{'affine.load' op index must be a valid dimension or symbol identifier}}
  %v = affine.load %a[%i] : memref<8xf32>
  return %v : f32
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 21 22
// CHECK: affine.load
func.func @f(%a: memref<8xf32>, %i: index) -> f32 {
  gpu.wait
  %v = affine.load %a[%i] : memref<8xf32>
  return %v : f32
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 19
func.func @f(%x: index, %n: index) {
  // expected-error @+1 {{'affine.if' op operand cannot be used as a dimension id}}
  affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%x)[%n] { gpu.wait }
  return
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 22
// DIFFERS: mlir-opt gives the set a name
// CHECK: affine.if
func.func @f(%x: index, %n: index) {
  affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%x)[%n] { gpu.wait }
  return
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 16
func.func @f(%a: memref<4x4xf32>) {
  // expected-error @+1 {{(add, mul) operations not found}}
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  return
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 22
func.func @f(%a: memref<4x4xf32>) {
  // expected-error @+1 {{expected add/mul op in the body}}
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  return
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 16
// DIFFERS: mlir-opt types pointers
// CHECK: constant @assert_msg_1(
// CHECK: constant @assert_msg_0(
func.func @f(%c: i1) {
  cf.assert %c, "a"
  cf.assert %c, "b"
  return
}
// -----
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 19
// CHECK: constant @assert_msg_0(
// CHECK: constant @assert_msg(
func.func @f(%c: i1) {
  cf.assert %c, "a"
  cf.assert %c, "b"
  return
}
// -----
// An index that is wider than its integer loses its high bits.
// RUN: mlir-opt %s --convert-index-to-llvm=index-bitwidth=32
// LLVM: 19 22
// CHECK: llvm.mlir.constant(1294967296 : i32)
// CHECK: llvm.mlir.constant(-1294967296 : i32)
func.func @f() -> (index, index) {
  %0 = index.constant -3000000000
  %1 = index.constant 3000000000
  return %0, %1 : index, index
}
// -----
// RUN: mlir-opt %s --pass-pipeline=builtin.module(finalize-memref-to-llvm)
// LLVM: 16
// expected-error {{'finalize-memref-to-llvm' does not refer to a registered pass or pass pipeline}}
// -----
// RUN: mlir-opt %s --convert-gpu-to-nvvm
// LLVM: 22
gpu.module @m {
  func.func @f(%a: i32) {
    // expected-error @+1 {{failed to legalize operation 'gpu.subgroup_reduce' that was explicitly marked illegal}}
    %0 = gpu.subgroup_reduce add %a uniform : (i32) -> i32
    return
  }
}
// -----
// RUN: mlir-opt %s --convert-gpu-to-nvvm=has-redux=1
// LLVM: 22
gpu.module @m {
  func.func @f(%a: i32) {
    // expected-error @+1 {{failed to legalize operation 'gpu.subgroup_reduce' that was explicitly marked illegal}}
    %0 = gpu.subgroup_reduce add %a : (i32) -> i32
    return
  }
}
// -----
// RUN: mlir-opt %s --convert-gpu-to-nvvm=has-redux=1
// LLVM: 22
gpu.module @m {
  func.func @f(%a: i32) {
    // expected-error @+1 {{failed to legalize operation 'gpu.subgroup_reduce' that was explicitly marked illegal}}
    %0 = gpu.subgroup_reduce maxui %a uniform : (i32) -> i32
    return
  }
}
// -----
// RUN: mlir-opt %s --convert-gpu-to-nvvm=has-redux=1
// LLVM: 22
gpu.module @m {
  func.func @f(%a: i32) {
    // expected-error @+1 {{failed to legalize operation 'gpu.subgroup_reduce' that was explicitly marked illegal}}
    %0 = gpu.subgroup_reduce add %a uniform cluster(size = 8) : (i32) -> i32
    return
  }
}
// -----
// RUN: mlir-opt %s --convert-vector-to-scf
// LLVM: 22
func.func @f(%m: memref<?x?xf32>, %i: index, %k: vector<4x8xi1>, %w: vector<4x8xf32>) {
  // expected-error @+1 {{'vector.mask' op expects only one operation to mask}}
  vector.mask %k { vector.transfer_write %w, %m[%i, %i] : vector<4x8xf32>, memref<?x?xf32> } : vector<4x8xi1>
  return
}
// -----
// RUN: mlir-opt %s --inline --allow-unregistered-dialect
// LLVM: 19 22
// CHECK: call @f
func.func @f(%x: i32) -> i32 {
  %0 = "foo.bar"(%x) : (i32) -> i32
  return %0 : i32
}
func.func @main(%x: i32) -> i32 {
  %0 = func.call @f(%x) : (i32) -> i32
  return %0 : i32
}
// -----
// What only this tool does not lower: mlir-opt does.
// RUN: mlir-opt %s --convert-vector-to-scf=full-unroll
// LLVM: 22
func.func @f(%m: memref<?x?xf32>, %i: index, %p: f32) {
  // unsupported @+1 {{this tool does not unroll so many transfers}}
  %v = vector.transfer_read %m[%i, %i], %p : memref<?x?xf32>, vector<900000x8xf32>
  return
}
// -----
// RUN: mlir-opt %s --convert-vector-to-scf
// LLVM: 17
func.func @f(%m: memref<?x?xf32>, %i: index, %p: f32) {
  // unsupported @+1 {{this tool does not lower scalable vectors as LLVM 17 does}}
  %v = vector.transfer_read %m[%i, %i], %p : memref<?x?xf32>, vector<4x[8]xf32>
  return
}
// -----
// RUN: mlir-opt %s --convert-vector-to-llvm=vector-contract-lowering=outerproduct
// LLVM: 22
func.func @f(%p: f32, %k: vector<4xi1>) {
  %v = vector.broadcast %p : f32 to vector<4xf32>
  // unsupported @+1 {{this tool does not lower 'vector.mask' of a contraction with outer products}}
  %0 = vector.mask %k { vector.contract {iterator_types = ["reduction"], indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]} %v, %v, %p : vector<4xf32>, vector<4xf32> into f32 } : vector<4xi1> -> f32
  return
}
// -----
// RUN: mlir-opt %s --convert-vector-to-llvm=vector-transpose-lowering=shuffle16x16
// LLVM: 22
func.func @f(%w: vector<2x2xf32>) {
  // unsupported @+1 {{this tool does not lower 'vector.transpose' with 'shuffle16x16'}}
  %0 = vector.transpose %w, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
  return
}
// -----
// RUN: mlir-opt %s --convert-nvgpu-to-nvvm
// LLVM: 16
// unsupported {{this tool supports convert-nvgpu-to-nvvm from LLVM 19 on}}
func.func @f(%t: !nvgpu.device.async.token) {
  nvgpu.device_async_wait %t
  return
}
// -----
// RUN: mlir-opt %s --convert-nvgpu-to-nvvm
// LLVM: 22
func.func @f() {
  // unsupported @+1 {{this tool does not convert nvgpu.warpgroup.mma.init.accumulator}}
  %a = nvgpu.warpgroup.mma.init.accumulator -> <fragmented = vector<64x128xf32>>
  return
}
// -----
// RUN: mlir-opt %s --convert-xegpu-to-xevm
// LLVM: 22, which rejects the op, too
gpu.module @m {
  gpu.func @k(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %m: vector<16xi1>, %v: vector<16xf32>) {
    // unsupported @+1 {{this tool does not convert xegpu.atomic_rmw}}
    %0 = xegpu.atomic_rmw addf %t, %m, %v : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xf32> -> vector<16xf32>
    gpu.return
  }
}
// -----
// RUN: mlir-opt %s --inline
// LLVM: 22
llvm.func @f(%p: !llvm.ptr {llvm.noalias}, %c: i1) {
  scf.if %c {
    llvm.store %c, %p : i1, !llvm.ptr
  }
  llvm.return
}
llvm.func @main(%p: !llvm.ptr, %c: i1) {
  // unsupported @+2 {{this tool does not follow noalias arguments into regions: @f}}
  // CHECK-NOT: llvm.call @f
  llvm.call @f(%p, %c) : (!llvm.ptr, i1) -> ()
  llvm.return
}
// -----
// RUN: mlir-opt %s --inline
// LLVM: 22
llvm.func @f(%p: !llvm.ptr {llvm.byval = vector<3xi8>}, %c: i1) {
  llvm.return
}
llvm.func @main(%p: !llvm.ptr, %c: i1) {
  // unsupported @+2 {{this tool cannot determine the size of a byval argument: vector<3xi8> of @f}}
  // CHECK-NOT: llvm.call @f
  llvm.call @f(%p, %c) : (!llvm.ptr, i1) -> ()
  llvm.return
}
// -----
// Functions that call each other, called by each other alone (22), or from outside.
// RUN: mlir-opt %s --inline
// LLVM: 22
func.func private @seen(i32)
func.func @a(%x: i32) -> i32 {
  call @seen(%x) : (i32) -> ()
  %0 = call @b(%x) : (i32) -> i32
  return %0 : i32
}
func.func @b(%x: i32) -> i32 {
  %0 = call @a(%x) : (i32) -> i32
  return %0 : i32
}
// -----
// RUN: mlir-opt %s --inline
// LLVM: 19
func.func private @seen(i32)
func.func @a(%x: i32) -> i32 {
  call @seen(%x) : (i32) -> ()
  %0 = call @b(%x) : (i32) -> i32
  return %0 : i32
}
func.func @b(%x: i32) -> i32 {
  // unsupported @+1 {{this tool does not inline functions that call each other, as mlir-opt does: @a}}
  %0 = call @a(%x) : (i32) -> i32
  return %0 : i32
}
// -----
// RUN: mlir-opt %s --inline
// LLVM: 22
// CHECK-COUNT-2: call @seen
func.func private @seen(i32)
func.func @m(%x: i32) {
  // unsupported @+1 {{this tool does not inline functions that call each other, as mlir-opt does: @a}}
  call @a(%x) : (i32) -> i32
  return
}
func.func @a(%x: i32) -> i32 {
  call @seen(%x) : (i32) -> ()
  %0 = call @b(%x) : (i32) -> i32
  return %0 : i32
}
func.func @b(%x: i32) -> i32 {
  %0 = call @a(%x) : (i32) -> i32
  return %0 : i32
}
// -----
// Without the NVVM dialect, a token that an async.execute yields is an event.
// RUN: mlir-opt %s --gpu-to-llvm
// LLVM: 22
// CHECK: call @mgpuEventRecord
func.func @f() {
  %t, %r = async.execute -> !async.value<!gpu.async.token> {
    %0 = gpu.wait async
    async.yield %0 : !gpu.async.token
  }
  async.await %t : !async.token
  return
}
// -----
// RUN: mlir-opt %s --pass-pipeline=builtin.module(nvvm-attach-target,gpu-to-llvm)
// LLVM: 22
// CHECK-NOT: mgpuEventRecord
func.func @f() {
  %t, %r = async.execute -> !async.value<!gpu.async.token> {
    %0 = gpu.wait async
    async.yield %0 : !gpu.async.token
  }
  async.await %t : !async.token
  return
}
// -----
// RUN: mlir-opt %s --pass-pipeline=builtin.module(func.func(gpu-map-parallel-loops{mapping-policy=innermost-first}))
// LLVM: 21
// expected-error {{<Pass-Options-Parser>: no such option mapping-policy}}
func.func @f(%a: index) {
  scf.parallel (%i, %j) = (%a, %a) to (%a, %a) step (%a, %a) {
  }
  return
}
// -----
// RUN: mlir-opt %s --pass-pipeline=builtin.module(func.func(gpu-map-parallel-loops{mapping-policy=innermost-first}))
// LLVM: 22
// DIFFERS: mlir-opt gives the map a name
// CHECK: block_y{{.*}}block_x
func.func @f(%a: index) {
  scf.parallel (%i, %j) = (%a, %a) to (%a, %a) step (%a, %a) {
  }
  return
}
// -----
// RUN: mlir-opt %s --pass-pipeline=builtin.module(gpu-to-llvm{intersperse-sizes-for-kernels=1})
// LLVM: 19
// expected-error {{<Pass-Options-Parser>: no such option intersperse-sizes-for-kernels}}
module {}
// -----
// A cycle of branches.
// RUN: mlir-opt %s --canonicalize
// LLVM: 22
// CHECK:      cf.cond_br %arg0, ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.br ^bb1
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: return
func.func @f(%c: i1) {
  cf.cond_br %c, ^a, ^d
^a:
  cf.br ^b
^b:
  cf.br ^c
^c:
  cf.br ^a
^d:
  return
}
// -----
// RUN: mlir-opt %s --canonicalize
// LLVM: 16 19, where mlir-opt never ends
// CHECK:      cf.cond_br %arg0, ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.br ^bb1
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: return
func.func @f(%c: i1) {
  cf.cond_br %c, ^a, ^d
^a:
  cf.br ^b
^b:
  cf.br ^c
^c:
  cf.br ^a
^d:
  return
}
