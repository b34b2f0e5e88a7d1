//// PROGRAM
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @k(%a: memref<4xf32>) kernel {
      gpu.return
    }
  }
  func.func @f(%h: memref<4xf32>) {
    %c = arith.constant 1 : index
    %t = gpu.wait async
    %m, %t1 = gpu.alloc async [%t] () : memref<4xf32>
    gpu.memcpy %m, %h : memref<4xf32>, memref<4xf32>
    %t2 = gpu.launch_func async [%t1] @k::@k blocks in (%c, %c, %c) threads in (%c, %c, %c)
        args(%m : memref<4xf32>)
    func.call @g(%h) : (memref<4xf32>) -> ()
    return
  }
  func.func @g(%h: memref<4xf32>) {
    %t = gpu.wait async
    return
  }
  func.func @wrong(%a: i32, %b: i64) {
    %t, %u = gpu.wait async
    %s = "arith.addi"(%a, %b) : (i32, i64) -> i32
    return
  }
}
