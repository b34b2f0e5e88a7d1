// While carried.
module attributes {gpu.container_module} {
  func.func @main(%a: memref<4xi32>, %b: memref<4xi32>, %d: memref<4xi32>) -> i32 {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i32
    %r:3 = scf.while (%p = %a, %q = %b, %v = %z) : (memref<4xi32>, memref<4xi32>, i32) -> (memref<4xi32>, memref<4xi32>, i32) {
      %go = arith.cmpi eq, %v, %z : i32
      scf.condition(%go) %p, %q, %v : memref<4xi32>, memref<4xi32>, i32
    } do {
    ^bb0(%p: memref<4xi32>, %q: memref<4xi32>, %v: i32):
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %p, %d : memref<4xi32>, memref<4xi32>
      // expected-warning @+1 {{GA302: The host reads %p while the gpu.memcpy that writes it may still be running.}}
      %x = memref.load %p[%c0] : memref<4xi32>
      gpu.wait [%t]
      scf.yield %q, %p, %x : memref<4xi32>, memref<4xi32>, i32
    }
    return %r#2 : i32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%a: memref<4xi32>, %b: memref<4xi32>, %d: memref<4xi32>) -> i32 {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i32
    %r:3 = scf.while (%p = %a, %q = %b, %v = %z) : (memref<4xi32>, memref<4xi32>, i32) -> (memref<4xi32>, memref<4xi32>, i32) {
      %go = arith.cmpi eq, %v, %z : i32
      scf.condition(%go) %p, %q, %v : memref<4xi32>, memref<4xi32>, i32
    } do {
    ^bb0(%p: memref<4xi32>, %q: memref<4xi32>, %v: i32):
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %p, %d : memref<4xi32>, memref<4xi32>
      gpu.wait [%t]
      %x = memref.load %p[%c0] : memref<4xi32>
      scf.yield %q, %p, %x : memref<4xi32>, memref<4xi32>, i32
    }
    return %r#2 : i32
  }
}
