// Task value buffer.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<512xi32>, %h: memref<512xi32>) -> i32 {
    %c1 = arith.constant 1 : index
    %t, %v = async.execute -> !async.value<i32> {
      %z = arith.constant 3 : i32
      %s = gpu.wait async
      %c = gpu.memcpy async [%s] %h, %d : memref<512xi32>, memref<512xi32>
      gpu.wait [%c]
      async.yield %z : i32
    }
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %h[%c1] : memref<512xi32>
    %z = async.await %v : !async.value<i32>
    %y = arith.addi %x, %z : i32
    return %y : i32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<512xi32>, %h: memref<512xi32>) -> i32 {
    %c1 = arith.constant 1 : index
    %t, %v = async.execute -> !async.value<i32> {
      %z = arith.constant 3 : i32
      %s = gpu.wait async
      %c = gpu.memcpy async [%s] %h, %d : memref<512xi32>, memref<512xi32>
      gpu.wait [%c]
      async.yield %z : i32
    }
    %z = async.await %v : !async.value<i32>
    %x = memref.load %h[%c1] : memref<512xi32>
    %y = arith.addi %x, %z : i32
    return %y : i32
  }
}
