// Recursive writer.
module attributes {gpu.container_module} {
  func.func private @walk(%n: index, %h: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0 : i32
    %stop = arith.cmpi eq, %n, %c0 : index
    scf.if %stop {
    } else {
      memref.store %z, %h[%c0] : memref<8xi32>
      %m = arith.subi %n, %c1 : index
      func.call @walk(%m, %h) : (index, memref<8xi32>) -> ()
    }
    return
  }
  func.func @main(%n: index, %h: memref<8xi32>, %d: memref<8xi32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<8xi32>, memref<8xi32>
    // expected-warning @+1 {{GA302: The host writes %h while the gpu.memcpy that reads it may still be running.}}
    call @walk(%n, %h) : (index, memref<8xi32>) -> ()
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @walk(%n: index, %h: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0 : i32
    %stop = arith.cmpi eq, %n, %c0 : index
    scf.if %stop {
    } else {
      memref.store %z, %h[%c0] : memref<8xi32>
      %m = arith.subi %n, %c1 : index
      func.call @walk(%m, %h) : (index, memref<8xi32>) -> ()
    }
    return
  }
  func.func @main(%n: index, %h: memref<8xi32>, %d: memref<8xi32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<8xi32>, memref<8xi32>
    gpu.wait [%t]
    call @walk(%n, %h) : (index, memref<8xi32>) -> ()
    return
  }
}
