//// DIAGNOSTICS
// RUN: mlir-opt %s -split-input-file -verify-diagnostics
func.func @a() { return }
// -----
func.func @b() -> i32 {
  // expected-error@+1 {{something else}}
  return
}
// -----
// expected-remark@below {{nothing says this}}
func.func @c() { return }
// -----
func.func @d() -> i32 {
  return // expected-error {{'func.return' op has 0 operands}}
}
//// BUILT_IN
// RUN: mlir-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(gpu-async-region))' \
// RUN:   | FileCheck %s
// CHECK-LABEL: func.func @upload
//       CHECK:   %[[T:.*]] = gpu.wait async
//  CHECK-NEXT:   %[[C:.*]] = gpu.memcpy async [%[[T]]]
//  CHECK-NEXT:   gpu.wait [%[[C]]]
func.func @upload(%to: memref<8xf32, 1>, %from: memref<8xf32>) {
  gpu.memcpy %to, %from : memref<8xf32, 1>, memref<8xf32>
  return
}
// -----
// CHECK-LABEL: func.func @second
func.func @second() { return }
