// gpuasync: llvm=22
// A kernel reads one buffer and writes another; they were filled on two streams, so its launch depends on
// both. Up to LLVM 22 a gpu.launch_func with two dependencies is an error. LLVM 23 joins them by events
// (llvm-project pull request 188987).
module attributes {gpu.container_module} {
  func.func @accumulate(%input: memref<1024xf32>, %start: memref<1024xf32>, %result: memref<1024xf32>) {
    %one = arith.constant 1 : index
    %lanes = arith.constant 1024 : index
    %reading = gpu.wait async
    %in, %in_ready = gpu.alloc async [%reading] () : memref<1024xf32>
    %in_filled = gpu.memcpy async [%in_ready] %in, %input : memref<1024xf32>, memref<1024xf32>
    %adding = gpu.wait async
    %sum, %sum_ready = gpu.alloc async [%adding] () : memref<1024xf32>
    %sum_filled = gpu.memcpy async [%sum_ready] %sum, %start : memref<1024xf32>, memref<1024xf32>
    %added = gpu.launch_func async [%sum_filled, %in_filled] @math::@add
        blocks in (%one, %one, %one) threads in (%lanes, %one, %one)
        args(%in : memref<1024xf32>, %sum : memref<1024xf32>)
    %saved = gpu.memcpy async [%added] %result, %sum : memref<1024xf32>, memref<1024xf32>
    %in_gone = gpu.dealloc async [%saved] %in : memref<1024xf32>
    %sum_gone = gpu.dealloc async [%in_gone] %sum : memref<1024xf32>
    gpu.wait [%sum_gone]
    gpu.wait [%in_filled]
    return
  }

  gpu.module @math {
    gpu.func @add(%in: memref<1024xf32>, %sum: memref<1024xf32>) kernel {
      %lane = gpu.thread_id x
      %a = memref.load %in[%lane] : memref<1024xf32>
      %b = memref.load %sum[%lane] : memref<1024xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %sum[%lane] : memref<1024xf32>
      gpu.return
    }
  }
}
