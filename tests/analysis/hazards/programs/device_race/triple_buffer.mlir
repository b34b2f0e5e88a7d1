// Triple buffer.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @blur(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %v = memref.load %in[%i] : memref<?xf64>
      memref.store %v, %out[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>, %h: memref<?xf64>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %z = %c) -> (memref<?xf64>, memref<?xf64>, memref<?xf64>) {
      // expected-warning @+1 {{GA301: In a later iteration, this gpu.memcpy writes %x while the gpu.launch_func that reads it may still be running.}}
      %u = gpu.memcpy async [%s] %x, %h : memref<?xf64>, memref<?xf64>
      // expected-warning @+1 {{GA301: This gpu.launch_func reads %x while the gpu.memcpy that writes it may still be running.}}
      %k = gpu.launch_func async [%t] @kern::@blur blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xf64>, %z : memref<?xf64>)
      scf.yield %y, %z, %x : memref<?xf64>, memref<?xf64>, memref<?xf64>
    }
    gpu.wait [%s, %t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @blur(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
      %i = gpu.global_id x
      %v = memref.load %in[%i] : memref<?xf64>
      memref.store %v, %out[%i] : memref<?xf64>
      gpu.return
    }
  }
  func.func @main(%a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf64>, %h: memref<?xf64>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %z = %c) -> (memref<?xf64>, memref<?xf64>, memref<?xf64>) {
      %u = gpu.memcpy async [%s] %x, %h : memref<?xf64>, memref<?xf64>
      %k = gpu.launch_func async [%s] @kern::@blur blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xf64>, %z : memref<?xf64>)
      scf.yield %y, %z, %x : memref<?xf64>, memref<?xf64>, memref<?xf64>
    }
    gpu.wait [%s, %t]
    return
  }
}
