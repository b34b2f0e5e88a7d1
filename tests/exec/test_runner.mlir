//// SCALARS

func.func private @printI64(i64)
func.func private @printU64(i64)
func.func private @printF32(f32)
func.func private @printF64(f64)
func.func private @printOpen()
func.func private @printClose()
func.func private @printComma()
func.func private @printNewline()
func.func @main() {
  %a = arith.constant -5 : i64
  %b = arith.constant 3.14159274 : f32
  %c = arith.constant 1.0e-9 : f64
  %d = arith.constant 123456789.0 : f64
  func.call @printOpen() : () -> ()
  func.call @printI64(%a) : (i64) -> ()
  func.call @printComma() : () -> ()
  func.call @printU64(%a) : (i64) -> ()
  func.call @printComma() : () -> ()
  func.call @printF32(%b) : (f32) -> ()
  func.call @printComma() : () -> ()
  func.call @printF64(%c) : (f64) -> ()
  func.call @printComma() : () -> ()
  func.call @printF64(%d) : (f64) -> ()
  func.call @printClose() : () -> ()
  func.call @printNewline() : () -> ()
  return
}
//// BLOCKS

func.func private @printMemrefVector4x4xf32(memref<?x?xvector<4x4xf32>>)
    attributes {llvm.emit_c_interface}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.5, 10.0, 11.0],
      [12.0, 13.0, 14.0, 0.1]]> : vector<4x4xf32>
  %b = arith.constant dense<-1.5> : vector<4x4xf32>
  %m = memref.alloc() : memref<1x2xvector<4x4xf32>>
  memref.store %a, %m[%c0, %c0] : memref<1x2xvector<4x4xf32>>
  memref.store %b, %m[%c0, %c1] : memref<1x2xvector<4x4xf32>>
  %d = memref.cast %m : memref<1x2xvector<4x4xf32>> to memref<?x?xvector<4x4xf32>>
  func.call @printMemrefVector4x4xf32(%d) : (memref<?x?xvector<4x4xf32>>) -> ()
  return
}
//// SORT

func.func private @stdSortF32(i64, memref<?xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF32(memref<*xf32>)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 6 : index
  %count = arith.constant 5 : i64
  %m = memref.alloc() : memref<6xf32>
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %g = arith.negf %f : f32
    memref.store %g, %m[%i] : memref<6xf32>
  }
  %d = memref.cast %m : memref<6xf32> to memref<?xf32>
  func.call @stdSortF32(%count, %d) : (i64, memref<?xf32>) -> ()
  %u = memref.cast %m : memref<6xf32> to memref<*xf32>
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
