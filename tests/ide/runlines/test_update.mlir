//// TEST
// RUN: mlir-opt %s -split-input-file | FileCheck %s
// A test of two functions.

// CHECK-LABEL: func.func @good
//       CHECK:   return
func.func @good() { return }

// -----

// CHECK-LABEL: func.func @bad
// Why this is so.
//  CHECK-NEXT:   never
func.func @bad(%x: tensor<2x2xi32>, %n: index, %y: tensor<2x2xi32>, %m: index) -> (index, tensor<2x2xi32>) {
  // CHECK: inside
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %true = arith.constant true
  %0:2 = scf.if %true -> (index, index) {
    scf.yield %n, %n : index, index
  } else {
    scf.yield %n, %n : index, index
  }
  %s = arith.addi %x, %c : tensor<2x2xi32>
  return %0#1, %s : index, tensor<2x2xi32>
}
