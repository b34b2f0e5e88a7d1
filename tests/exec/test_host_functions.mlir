//// FILLS

func.func private @fillResource2DInt(memref<?x?xi32>, i32)
func.func private @fillF32Buffer1D(memref<?xf32>, f32) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(memref<*xi32>)
func.func private @printMemrefF32(memref<*xf32>)
func.func @main() {
  %seven = arith.constant -7 : i32
  %half = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<2x3xi32>
  %b = memref.alloc() : memref<4xf32>
  %p = memref.cast %a : memref<2x3xi32> to memref<?x?xi32>
  %q = memref.cast %b : memref<4xf32> to memref<?xf32>
  call @fillResource2DInt(%p, %seven) : (memref<?x?xi32>, i32) -> ()
  call @fillF32Buffer1D(%q, %half) : (memref<?xf32>, f32) -> ()
  %u = memref.cast %a : memref<2x3xi32> to memref<*xi32>
  %v = memref.cast %b : memref<4xf32> to memref<*xf32>
  call @printMemrefI32(%u) : (memref<*xi32>) -> ()
  call @printMemrefF32(%v) : (memref<*xf32>) -> ()
  memref.dealloc %a : memref<2x3xi32>
  memref.dealloc %b : memref<4xf32>
  return
}
//// DEVICE_VIEW

func.func private @mgpuMemGetDeviceMemRef1dFloat(memref<?xf32>) -> memref<?xf32>
func.func private @printMemrefF32(memref<*xf32>)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 2.5 : f32
  %m = memref.alloc(%c4) : memref<?xf32>
  %u = memref.cast %m : memref<?xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  %d = call @mgpuMemGetDeviceMemRef1dFloat(%m) : (memref<?xf32>) -> memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    memref.store %v, %d[%tx] : memref<?xf32>
    gpu.terminator
  }
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  gpu.host_unregister %u : memref<*xf32>
  memref.dealloc %m : memref<?xf32>
  return
}
//// AFFINE

func.func private @printI64(i64)
func.func @main() {
  %m = memref.alloc() : memref<8xi64>
  affine.for %i = 0 to 8 {
    %n = arith.index_cast %i : index to i64
    affine.store %n, %m[-%i + 7] : memref<8xi64>
  }
  %x = affine.load %m[2] : memref<8xi64>
  call @printI64(%x) : (i64) -> ()
  memref.dealloc %m : memref<8xi64>
  return
}
//// VULKAN

module attributes {ATTRIBUTES} {
  gpu.module @k {
    gpu.func @double(%m: memref<4xi32>) kernel {
      %i = gpu.block_id x
      %v = memref.load %m[%i] : memref<4xi32>
      %w = arith.addi %v, %v : i32
      memref.store %w, %m[%i] : memref<4xi32>
      gpu.return
    }
  }
  func.func private @fillResource1DInt(memref<?xi32>, i32)
  func.func private @printMemrefI32(memref<*xi32>)
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %v = arith.constant 21 : i32
    %m = memref.alloc() : memref<4xi32>
    %d = memref.cast %m : memref<4xi32> to memref<?xi32>
    call @fillResource1DInt(%d, %v) : (memref<?xi32>, i32) -> ()
    gpu.launch_func @k::@double blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<4xi32>)
    %u = memref.cast %m : memref<4xi32> to memref<*xi32>
    call @printMemrefI32(%u) : (memref<*xi32>) -> ()
    memref.dealloc %m : memref<4xi32>
    return
  }
}
