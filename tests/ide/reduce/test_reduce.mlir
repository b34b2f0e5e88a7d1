//// LISTS
#map = affine_map<(d0) -> (d0)>
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @s(%a: f32, %m: memref<4x8xf32, strided<[8, 1]>>, %n: index) kernel {
      gpu.return
    }
  }
  func.func @helper(%x: i32, %y: f32) -> f32 {
    return %y : f32
  }
  func.func @f(%a: f32, %m: memref<4x8xf32, strided<[8, 1]>>, %n: index, %c: i1) -> (index, f32) {
    %z = arith.constant 1 : i32
    %r = call @helper(%z, %a) : (i32, f32) -> f32
    %l = gpu.launch_func async @k::@s blocks in (%n, %n, %n) threads in (%n, %n, %n)
        args(%r : f32, %m : memref<4x8xf32, strided<[8, 1]>>, %n : index)
    cf.cond_br %c, ^bb1(%n, %a : index, f32), ^bb1(%n, %r : index, f32)
  ^bb1(%p: index, %q: f32):
    memref.store %q, %m[%n, %n] : memref<4x8xf32, strided<[8, 1]>>
    return %p, %q : index, f32
  }
}
//// FILLED
func.func @other(%n: index) -> index {
  %c = arith.constant 1 : index
  %s = arith.addi %c, %n : index
  return %s : index
}
module attributes {gpu.container_module} {
  func.func @fill(%m: memref<16xcomplex<f32>>, %z: complex<f32>, %h: memref<4xf32>, %d: memref<4xf32>) {
    %t0 = gpu.wait async
    %t1 = gpu.memcpy async [%t0] %d, %h : memref<4xf32>, memref<4xf32>
    %t2 = gpu.memset async [%t1] %m, %z : memref<16xcomplex<f32>>, complex<f32>
    gpu.wait [%t2]
    return
  }
}
//// CARRIED

func.func @pair(%a: index) -> (index, i32, f32) {
  %one = arith.constant 1 : i32
  %x = arith.constant 1.0 : f32
  return %a, %one, %x : index, i32, f32
}
func.func @f(%c: i1, %n: index, %s: f32, %m: memref<?xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %p:3 = func.call @pair(%n) : (index) -> (index, i32, f32)
  %t0 = gpu.wait async
  %r:3 = scf.for %i = %zero to %p#0 step %one iter_args(%x = %s, %t = %t0, %k = %n)
    -> (f32, !gpu.async.token, index) {
    %y = arith.addf %x, %p#2 : f32
    %t1 = gpu.memset async [%t] %m, %y : memref<?xf32>, f32
    %k1 = arith.addi %k, %one : index
    scf.yield %y, %t1, %k1 : f32, !gpu.async.token, index
  }
  gpu.wait [%r#1]
  %q, %u = scf.if %c -> (index, f32) {
    scf.yield %r#2, %r#0 : index, f32
  } else {
    scf.yield %zero, %s : index, f32
  }
  memref.store %u, %m[%q] : memref<?xf32>
  return %u : f32
}
//// WHILES

func.func @f(%n: index, %s: f32, %m: memref<?xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %t0 = gpu.wait async
  %r:2, %u = scf.while (%x = %s, %t = %t0, %k = %zero)
      : (f32, !gpu.async.token, index) -> (f32, !gpu.async.token, i1) {
    %c = arith.cmpi slt, %k, %n : index
    scf.condition(%c) %x, %t, %c : f32, !gpu.async.token, i1
  } do {
  ^bb0(%y: f32, %v: !gpu.async.token, %d: i1):
    %t1 = gpu.memset async [%v] %m, %y : memref<?xf32>, f32
    scf.yield %y, %t1, %n : f32, !gpu.async.token, index
  }
  gpu.wait [%r#1]
  scf.while : () -> () {
    %e = arith.constant false
    scf.condition(%e)
  } do {
    scf.yield
  }
  return %r#0 : f32
}
