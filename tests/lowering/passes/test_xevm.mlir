module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @k(%a: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func @test(%a: memref<8xf32>) attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %m = gpu.alloc () : memref<8xf32>
    gpu.memcpy %m, %a : memref<8xf32>, memref<8xf32>
    gpu.launch_func @km::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>)
    gpu.dealloc %m : memref<8xf32>
    return
  }
}
