//// BINARY

module attributes {gpu.container_module} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_80">, FORM = "CONTENT">]
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
//// MANY

module attributes {gpu.container_module} {
  func.func @main(%x: memref<8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 5 : index
    %s = gpu.wait async
    %t = gpu.wait async
    scf.for %i = %c0 to %n step %c1 {
      %a = gpu.launch_func async [%s] @k::@f blocks in (%n, %c1, %c1) threads in (%c1, %c1, %n)
          args(%x : memref<8xf32>)
      %b = gpu.launch_func async [%t] @k::@g blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%x : memref<8xf32>)
    }
    gpu.wait [%s]
    gpu.wait [%t]
    return
  }
  gpu.module @k {
    gpu.func @f(%x: memref<8xf32>) kernel {
      gpu.return
    }
    gpu.func @g(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
}
//// AGAIN

module {
  llvm.func @mgpuStreamCreate() -> !llvm.ptr
  llvm.func @mgpuStreamDestroy(!llvm.ptr)
  llvm.func @mgpuStreamSynchronize(!llvm.ptr)
  func.func @main() {
    %a = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
    llvm.call @mgpuStreamDestroy(%a) : (!llvm.ptr) -> ()
    %b = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr
    llvm.call @mgpuStreamSynchronize(%a) : (!llvm.ptr) -> ()
    llvm.call @mgpuStreamDestroy(%b) : (!llvm.ptr) -> ()
    return
  }
}
//// UNDEFINED
module attributes {gpu.container_module} {
  gpu.module @k {
    func.func private @other(f32) -> f32
    gpu.func @f(%x: f32) kernel {
      %y = func.call @other(%x) : (f32) -> f32
      gpu.printf "%f", %y : f32
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
    return
  }
}
