// RUN: mlir-opt %s --gpu-async-region | FileCheck %s

// CHECK-LABEL: func.func @upload
//       CHECK:   %[[T:.*]] = gpu.wait async
//  CHECK-NEXT:   gpu.memcpy async [%[[T]]]
//  CHECK-NEXT:   gpu.wait async
func.func @upload(%to: memref<8xf32, 1>, %from: memref<8xf32>) {
  gpu.memcpy %to, %from : memref<8xf32, 1>, memref<8xf32>
  return
}
