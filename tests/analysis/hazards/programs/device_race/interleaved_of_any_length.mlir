// Elements three apart, however many blocks there are: of the same remainder, and of others.
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @third(%u: memref<?xf32>, %n: index, %p: index, %v: f32) kernel {
      %c3 = arith.constant 3 : index
      %t = gpu.global_id x
      %d = arith.muli %t, %c3 : index
      %i = arith.addi %d, %p : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        memref.store %v, %u[%i] : memref<?xf32>
      }
      gpu.return
    }
    gpu.func @pair(%u: memref<?xf32>, %p: index, %v: vector<2xf32>) kernel {
      %c3 = arith.constant 3 : index
      %t = gpu.global_id x
      %d = arith.muli %t, %c3 : index
      %i = arith.addi %d, %p : index
      vector.store %v, %u[%i] : memref<?xf32>, vector<2xf32>
      gpu.return
    }
  }
  func.func @one_of_three(%u: memref<?xf32>, %n: index, %g: index, %v: f32) {
    %c1 = arith.constant 1 : index
    %p = arith.constant 5 : index
    %q = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@third blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32>, %n : index, %p : index, %v : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %u while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%t] @m::@third blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32>, %n : index, %q : index, %v : f32)
    gpu.wait [%a, %b]
    return
  }
  func.func @two_of_three(%u: memref<?xf32>, %n: index, %g: index, %v: f32, %w: vector<2xf32>) {
    %c1 = arith.constant 1 : index
    %p = arith.constant 6 : index
    %q = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@pair blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32>, %p : index, %w : vector<2xf32>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %u while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%t] @m::@third blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32>, %n : index, %q : index, %v : f32)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @third(%u: memref<?xf32>, %n: index, %p: index, %v: f32) kernel {
      %c3 = arith.constant 3 : index
      %t = gpu.global_id x
      %d = arith.muli %t, %c3 : index
      %i = arith.addi %d, %p : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        memref.store %v, %u[%i] : memref<?xf32>
      }
      gpu.return
    }
    gpu.func @pair(%u: memref<?xf32>, %p: index, %v: vector<2xf32>) kernel {
      %c3 = arith.constant 3 : index
      %t = gpu.global_id x
      %d = arith.muli %t, %c3 : index
      %i = arith.addi %d, %p : index
      vector.store %v, %u[%i] : memref<?xf32>, vector<2xf32>
      gpu.return
    }
  }
  func.func @one_of_three(%u: memref<?xf32>, %n: index, %g: index, %v: f32) {
    %c1 = arith.constant 1 : index
    %p = arith.constant 1 : index
    %q = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@third blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32>, %n : index, %p : index, %v : f32)
    %b = gpu.launch_func async [%t] @m::@third blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32>, %n : index, %q : index, %v : f32)
    gpu.wait [%a, %b]
    return
  }
  func.func @two_of_three(%u: memref<?xf32>, %n: index, %g: index, %v: f32, %w: vector<2xf32>) {
    %c1 = arith.constant 1 : index
    %p = arith.constant 6 : index
    %q = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @m::@pair blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32>, %p : index, %w : vector<2xf32>)
    %b = gpu.launch_func async [%t] @m::@third blocks in (%g, %c1, %c1) threads in (%c128, %c1, %c1) args(%u : memref<?xf32>, %n : index, %q : index, %v : f32)
    gpu.wait [%a, %b]
    return
  }
}
