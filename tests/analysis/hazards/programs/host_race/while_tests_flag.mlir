// The condition of a loop is read before it has come.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<4xi32>, %h: memref<4xi32>) {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i32
    scf.while : () -> () {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %h, %d : memref<4xi32>, memref<4xi32>
      // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
      %v = memref.load %h[%c0] : memref<4xi32>
      gpu.wait [%a]
      %go = arith.cmpi ne, %v, %z : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<4xi32>, %h: memref<4xi32>) {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i32
    scf.while : () -> () {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %h, %d : memref<4xi32>, memref<4xi32>
      gpu.wait [%a]
      %v = memref.load %h[%c0] : memref<4xi32>
      %go = arith.cmpi ne, %v, %z : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    return
  }
}
