//// ONE_THREAD
%one_thread = arith.constant 1 : index
gpu.launch blocks(%b0, %b1, %b2) in (%b3 = %one_thread, %b4 = %one_thread, %b5 = %one_thread)
           threads(%t0, %t1, %t2) in (%t3 = %one_thread, %t4 = %one_thread, %t5 = %one_thread) {
BODY
gpu.terminator
}
//// NEEDS_MORE
func.func private @helper()
func.func @f(%n: index) {
  gpu.launch blocks(%b0, %b1, %b2) in (%b3 = %n, %b4 = %n, %b5 = %n)
             threads(%t0, %t1, %t2) in (%t3 = %n, %t4 = %n, %t5 = %n) {
    func.call @helper() : () -> ()
    gpu.terminator
  }
  return
}
//// STAYS
func.func private @helper()
func.func @f(%m: memref<4xf32>, %i: index) -> f32 {
  %t = gpu.wait async
  %a = memref.load %m[%i] : memref<4xf32>
  %b = arith.addf %a, %a : f32
  func.call @helper() : () -> ()
  memref.store %b, %m[%i] : memref<4xf32>
  %s = memref.alloc() : memref<4xf32>
  gpu.wait [%t]
  return %b : f32
}
