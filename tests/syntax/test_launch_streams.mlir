//// EXPLICIT
func.func @f(%s: !llvm.ptr) {
  %c1 = arith.constant 1 : index
  gpu.launch <%s : !llvm.ptr> blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%ux = %c1, %uy = %c1, %uz = %c1) {
    gpu.terminator
  }
  return
}
//// ASYNC
func.func @f(%s: !llvm.ptr, %m: memref<4xf32>, %v: f32) {
  %c1 = arith.constant 1 : index
  %t = gpu.launch async <%s : !llvm.ptr> blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%ux = %c1, %uy = %c1, %uz = %c1) {
    memref.store %v, %m[%tx] : memref<4xf32>
    gpu.terminator
  }
  gpu.wait [%t]
  return
}
//// TWELVE
func.func @f(%s: !llvm.ptr, %t: !gpu.async.token) {
  %c1 = arith.constant 1 : index
  "gpu.launch"(%t, %c1, %c1, %c1, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, workgroup_attributions = 0 : i64}> ({
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index, %a4: index, %a5: index, %a6: index, %a7: index, %a8: index, %a9: index, %a10: index, %a11: index):
    "gpu.terminator"() : () -> ()
  }) : (!gpu.async.token, index, index, index, index, index, index) -> ()
  return
}
//// ELEVEN
func.func @f(%s: !llvm.ptr, %t: !gpu.async.token) {
  %c1 = arith.constant 1 : index
  "gpu.launch"(%t, %c1, %c1, %c1, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>, workgroup_attributions = 0 : i64}> ({
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index, %a4: index, %a5: index, %a6: index, %a7: index, %a8: index, %a9: index, %a10: index, %a11: index):
    "gpu.terminator"() : () -> ()
  }) : (!gpu.async.token, index, index, index, index, index, index) -> ()
  return
}
