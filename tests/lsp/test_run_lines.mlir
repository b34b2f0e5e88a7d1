//// TEST
// RUN: mlir-opt %s | FileCheck %s
// RUN: mlir-opt %s --sccp | FileCheck %s

// CHECK-LABEL: func.func @a
// CHECK: arith.constant 2 : i32
func.func @a() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
