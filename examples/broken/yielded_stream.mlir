// gpuasync: llvm=22
// The token that async.execute yields ought to become an event, recorded on the stream of the launch. With the
// NVVM dialect loaded (here by #nvvm.target), LLVM 19 to 22 yield the bare stream instead: the host then waits
// for a stream as if it were an event, gets an error that nobody reads, and runs ahead of the kernel.
// LLVM 23 mended it (llvm-project pull request 190717).
module attributes {gpu.container_module} {
  func.func @main() {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %value = arith.constant 21 : i32
    %cells = memref.alloc() : memref<2xi32>
    %any = memref.cast %cells : memref<2xi32> to memref<*xi32>
    gpu.host_register %any : memref<*xi32>
    %done, %token = async.execute -> !async.value<!gpu.async.token> {
      %stream = gpu.wait async
      %launched = gpu.launch_func async [%stream] @fill::@doubled
          blocks in (%one, %one, %one) threads in (%two, %one, %one)
          args(%value : i32, %cells : memref<2xi32>)
      async.yield %launched : !gpu.async.token
    }
    async.await %done : !async.token
    %event = async.await %token : !async.value<!gpu.async.token>
    gpu.wait [%event]
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    gpu.host_unregister %any : memref<*xi32>
    memref.dealloc %cells : memref<2xi32>
    return
  }

  func.func private @printMemrefI32(memref<*xi32>)

  gpu.module @fill [#nvvm.target] {
    gpu.func @doubled(%value: i32, %cells: memref<2xi32>) kernel {
      %lane = gpu.thread_id x
      %sum = arith.addi %value, %value : i32
      memref.store %sum, %cells[%lane] : memref<2xi32>
      gpu.return
    }
  }
}
