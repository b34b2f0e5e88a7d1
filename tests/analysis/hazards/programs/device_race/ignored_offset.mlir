// Two halves of one buffer by copies, whose destinations lose their offsets.
func.func @main(%x: memref<64xf32>, %a: memref<32xf32>, %b: memref<32xf32>) {
  %lo = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %hi = memref.subview %x[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  %s = gpu.wait async
  %t = gpu.wait async
  %c = gpu.memcpy async [%s] %lo, %a : memref<32xf32, strided<[1]>>, memref<32xf32>
  // expected-error @+2 {{GA208: The offset and strides of %hi are ignored}}
  // expected-warning @+1 {{GA301: This gpu.memcpy writes %x while the earlier gpu.memcpy that writes it may still be running.}}
  %d = gpu.memcpy async [%t] %hi, %b : memref<32xf32, strided<[1], offset: 32>>, memref<32xf32>
  gpu.wait [%c, %d]
  return
}
// -----
func.func @main(%x: memref<256xi8>, %a: memref<32xf32>, %b: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %lo = memref.view %x[%c0][] : memref<256xi8> to memref<32xf32>
  %hi = memref.view %x[%c128][] : memref<256xi8> to memref<32xf32>
  %s = gpu.wait async
  %t = gpu.wait async
  %c = gpu.memcpy async [%s] %lo, %a : memref<32xf32>, memref<32xf32>
  %d = gpu.memcpy async [%t] %hi, %b : memref<32xf32>, memref<32xf32>
  gpu.wait [%c, %d]
  return
}
