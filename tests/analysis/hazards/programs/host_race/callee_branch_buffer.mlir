// Callee branch buffer.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @inplace(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %v = memref.load %m[%i] : memref<?xf64>
      %w = arith.mulf %v, %v : f64
      memref.store %w, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func private @either(%s: !gpu.async.token, %c: i1, %a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %m = arith.select %c, %a, %b : memref<?xf64>
    %k = gpu.launch_func async [%s] @kern::@inplace blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
    return
  }
  func.func @main(%c: i1, %a: memref<?xf64>, %b: memref<?xf64>, %n: index) -> f64 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    func.call @either(%s, %c, %a, %b, %n) : (!gpu.async.token, i1, memref<?xf64>, memref<?xf64>, index) -> ()
    // expected-warning @+1 {{GA302: The host reads %a while work of @either, which may read and write it, may still be running.}}
    %x = memref.load %a[%c0] : memref<?xf64>
    gpu.wait [%s]
    return %x : f64
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @inplace(%m: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %v = memref.load %m[%i] : memref<?xf64>
      %w = arith.mulf %v, %v : f64
      memref.store %w, %m[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func private @either(%s: !gpu.async.token, %c: i1, %a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
    %c1 = arith.constant 1 : index
    %m = arith.select %c, %a, %b : memref<?xf64>
    %k = gpu.launch_func async [%s] @kern::@inplace blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf64>)
    return
  }
  func.func @main(%c: i1, %a: memref<?xf64>, %b: memref<?xf64>, %n: index) -> f64 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    func.call @either(%s, %c, %a, %b, %n) : (!gpu.async.token, i1, memref<?xf64>, memref<?xf64>, index) -> ()
    gpu.wait [%s]
    %x = memref.load %a[%c0] : memref<?xf64>
    return %x : f64
  }
}
