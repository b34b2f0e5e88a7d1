module attributes {gpu.container_module} {

  func.func private @raw(%t: !gpu.async.token) -> memref<256xf32> {
    %x, %t0 = gpu.alloc async [%t] () : memref<256xf32>
    return %x : memref<256xf32>
  }
  func.func private @cleared(%t: !gpu.async.token) -> memref<256xf32> {
    %f = arith.constant 0.0 : f32
    %x = func.call @raw(%t) : (!gpu.async.token) -> memref<256xf32>
    %a = gpu.memset async [%t] %x, %f : memref<256xf32>, f32
    return %x : memref<256xf32>
  }
  func.func private @wrapped(%t: !gpu.async.token) -> memref<256xf32> {
    %x = func.call @cleared(%t) : (!gpu.async.token) -> memref<256xf32>
    return %x : memref<256xf32>
  }
  func.func private @free(%t: !gpu.async.token, %x: memref<256xf32>) {
    %d = gpu.dealloc async [%t] %x : memref<256xf32>
    return
  }
  func.func @main(%o: memref<256xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    scf.for %i = %c0 to %n step %c1 {
      %x = func.call @wrapped(%s) : (!gpu.async.token) -> memref<256xf32>
      %a = gpu.memcpy async [%s] %o, %x : memref<256xf32>, memref<256xf32>
      func.call @free(%s, %x) : (!gpu.async.token, memref<256xf32>) -> ()
    }
    %y = func.call @wrapped(%s) : (!gpu.async.token) -> memref<256xf32>
    %b = gpu.memcpy async [%s] %o, %y : memref<256xf32>, memref<256xf32>
    func.call @free(%s, %y) : (!gpu.async.token, memref<256xf32>) -> ()
    gpu.wait [%s]
    %v = memref.load %o[%c0] : memref<256xf32>
    return %v : f32
  }
}
