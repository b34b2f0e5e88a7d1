module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target] {
    gpu.func @double(%values: memref<2xi32>) kernel {
      %i = gpu.thread_id x
      %value = memref.load %values[%i] : memref<2xi32>
      %twice = arith.addi %value, %value : i32
      memref.store %twice, %values[%i] : memref<2xi32>
      gpu.return
    }
  }

  func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %answer = arith.constant 42 : i32
    %host = memref.alloc() : memref<2xi32>
    memref.store %answer, %host[%c0] : memref<2xi32>
    memref.store %answer, %host[%c1] : memref<2xi32>

    %t0 = gpu.wait async
    %device, %t1 = gpu.alloc async [%t0] () : memref<2xi32>
    %t2 = gpu.memcpy async [%t1] %device, %host : memref<2xi32>, memref<2xi32>
    %t3 = gpu.launch_func async [%t2] @kernels::@double
        blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
        args(%device : memref<2xi32>)
    %t4 = gpu.memcpy async [%t3] %host, %device : memref<2xi32>, memref<2xi32>
    %t5 = gpu.dealloc async [%t4] %device : memref<2xi32>
    gpu.wait [%t5]

    %printable = memref.cast %host : memref<2xi32> to memref<*xi32>
    call @printMemrefI32(%printable) : (memref<*xi32>) -> ()
    memref.dealloc %host : memref<2xi32>
    return
  }
}
