// A buffer is freed that a callee's kernel may still fill.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func private @kick(%x: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    // expected-warning @+1 {{GA401: No blocking gpu.wait ever waits for %a: its stream leaks, and nothing waits for its work.}}
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    return
  }
  func.func @main() {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    gpu.wait [%t0]
    func.call @kick(%x) : (memref<256xf32>) -> ()
    %q = gpu.wait async
    // expected-error @+1 {{GA303: %x is freed here while work of @kick that writes it may still be running.}}
    %d = gpu.dealloc async [%q] %x : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%out: memref<256xf32>, %v: f32) kernel {
      %i = gpu.thread_id x
      memref.store %v, %out[%i] : memref<256xf32>
      gpu.return
    }
  }

  func.func private @kick(%x: memref<256xf32>) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<256xf32>, %f : f32)
    gpu.wait [%a]
    return
  }
  func.func @main() {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    gpu.wait [%t0]
    func.call @kick(%x) : (memref<256xf32>) -> ()
    %q = gpu.wait async
    %d = gpu.dealloc async [%q] %x : memref<256xf32>
    gpu.wait [%d]
    return
  }
}
