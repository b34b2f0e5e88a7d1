//// LAUNCH
func.func @main(%n: index, %a: memref<4xf32>) {
  gpu.launch blocks(%x, %y, %z) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%i, %j, %k) in (%bx = %n, %by = %n, %bz = %n) {
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %a[%bx] : memref<4xf32>
    gpu.terminator
  }
  return
}
//// KERNEL
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<4xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<4xf32>
      memref.store %v, %a[%i] : memref<4xf32>
      gpu.return
    }
  }
  func.func @main(%n: index, %a: memref<4xf32>) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<4xf32>)
    return
  }
}
//// YIELD
func.func @main() {
  %t, %s = async.execute -> !async.value<!gpu.async.token> {
    %u = gpu.wait async
    async.yield %u : !gpu.async.token
  }
  %v = async.await %s : !async.value<!gpu.async.token>
  gpu.wait [%v]
  return
}
