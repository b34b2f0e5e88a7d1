"""Sources that several tests use."""

# ruff: noqa: E501 - mlir-opt prints a launch on one line
SEED = """\
module attributes {gpu.container_module} {
  func.func @main() {
    %c2 = arith.constant 2 : index
    %0 = gpu.wait async
    %1, %2 = gpu.alloc async [%0] (%c2) : memref<?xf32>
    %5, %6 = gpu.alloc async [%0] (%c2) : memref<?xf32>
    %7 = gpu.memcpy async [%2, %6] %1, %5 : memref<?xf32>, memref<?xf32>
    %3 = gpu.dealloc async [%7] %1 : memref<?xf32>
    %4 = gpu.dealloc async [%3] %5 : memref<?xf32>
    gpu.wait [%4]
    return
  }
}
"""
"""A frequent question of users: a gpu.memcpy that depends on two allocations (GA101)."""

KERNEL = """\
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%m: memref<8xf32>, %f: f32) kernel {
      gpu.return
    }
  }
  func.func @run(%m: memref<8xf32>, %f: f32) {
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    %t1 = gpu.launch_func async [%t0] @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>, %f : f32)
    gpu.wait [%t1]
    return
  }
}
"""
"""A kernel and a function that launches it."""
