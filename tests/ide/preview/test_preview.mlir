//// FORK
func.func @fork(%a: memref<4xf32>, %b: memref<4xf32>) {
  %t0 = gpu.wait async
  %t1 = gpu.wait async
  %1 = gpu.memcpy async [%t0] %a, %b : memref<4xf32>, memref<4xf32>
  %2 = gpu.wait async [%1, %t1]
  gpu.wait [%2]
  gpu.wait [%t1]
  gpu.wait [%t1]
  return
}
//// LAUNCH
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @main() {
    %one = arith.constant 1 : index
    %t = gpu.wait async
    %u = gpu.launch_func async [%t] @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.wait [%u]
    return
  }
}
//// ARGUMENT
func.func @from_outside(%t: !gpu.async.token) {
  gpu.wait [%t]
  return
}
//// KERNEL
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
    gpu.func @scale(%a: memref<?xf32>, %f: f32) kernel {
      %i = gpu.thread_id x
      %x = memref.load %a[%i] : memref<?xf32>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
}
