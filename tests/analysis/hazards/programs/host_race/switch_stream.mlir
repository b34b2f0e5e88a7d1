// Switch stream.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%which: index, %d: memref<?xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %s2 = gpu.wait async
    %s = scf.index_switch %which -> !gpu.async.token
    case 0 {
      scf.yield %s0 : !gpu.async.token
    }
    case 1 {
      scf.yield %s1 : !gpu.async.token
    }
    default {
      scf.yield %s2 : !gpu.async.token
    }
    %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%d : memref<?xf32>)
    gpu.wait [%s0, %s1]
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.launch_func, which may read and write it, may still be running if %which is none of the cases.}}
    %v = memref.load %d[%c3] : memref<?xf32>
    gpu.wait [%s2]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @inc(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %a[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main(%which: index, %d: memref<?xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %s2 = gpu.wait async
    %s = scf.index_switch %which -> !gpu.async.token
    case 0 {
      scf.yield %s0 : !gpu.async.token
    }
    case 1 {
      scf.yield %s1 : !gpu.async.token
    }
    default {
      scf.yield %s2 : !gpu.async.token
    }
    %l = gpu.launch_func async [%s] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%d : memref<?xf32>)
    gpu.wait [%s0, %s1, %s2]
    %v = memref.load %d[%c3] : memref<?xf32>
    return %v : f32
  }
}
