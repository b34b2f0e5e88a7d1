//// SOURCE
func.func private @log(%x: i32) -> f32
func.func private @unused()
func.func @f(%m: memref<8x4xf32, strided<[8, 1], offset: ?>>, %x: i32, %n: index) {
  %c = arith.constant 42 : i32
  %t = gpu.wait async
  %d, %u = gpu.alloc async [%t] (%n) : memref<?x4xf32>
  %w = memref.alloc() : memref<1024x1024xf32>
  %s = memref.alloc() : memref<3xi1, 3>
  %r = arith.cmpi slt, %c, %x : i32
  %q = call @log(%c) : (i32) -> f32
  memref.store %q, %w[%n, %n] {nontemporal = true} : memref<1024x1024xf32>
  %e = gpu.dealloc async [%u] %d : memref<?x4xf32>
  memref.dealloc %w : memref<1024x1024xf32>
  gpu.wait [%e]
  return
}
//// WRITTEN
#map = affine_map<(d0, d1)[s0] -> (d0 * s0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
!t = memref<8x4xf32, #gpu.address_space<workgroup>>
#set = affine_set<(d0) : (d0 - 4 >= 0)>
module attributes {gpu.container_module} {
  func.func @f(%a: !t, %b: vector<[4]x8xbf16>, %c: tensor<?x8xf32>, %d: i1, %e: memref<4xf32, 3>,
      %g: !llvm.ptr<3>, %h: memref<8x8xf32, #map>, %i: memref<*xf32, 1>, %j: !gpu.async.token,
      %k: tensor<*xf8E4M3FN>, %l: complex<f32>, %m: memref<2x
        3xf32>, %n: ui16) {
    "t.op"() {a = #map, b = !t, c = dense<1.0> : vector<4xf32>} : () -> index
    return
  }
}
//// DISCARDABLE
module attributes {gpu.container_module, llvm.target_triple = "x86_64"} {
  gpu.module @k {
    gpu.func @f(%a: memref<4xf32> {llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 4, 1, 1>} {
      gpu.return
    }
    llvm.func @g() attributes {"nvvm.kernel", rocdl.nothing} {
      llvm.return
    }
  }
}
