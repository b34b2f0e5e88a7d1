//// RACE

module attributes {gpu.container_module} {
  func.func @main(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %s = gpu.wait async
    %d, %s1 = gpu.alloc async [%s] () : memref<64xf32>
    %s2 = gpu.memcpy async [%s1] %d, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%s2]
    %a = gpu.wait async
    %b = gpu.wait async
    %a1 = gpu.launch_func async [%a] @k::@twice blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%d : memref<64xf32>)
    %b1 = gpu.launch_func async [BEFORE] @k::@inc blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%d : memref<64xf32>)
    gpu.wait [%b1]
    gpu.wait [%a]
    %e = gpu.wait async
    %e1 = gpu.memcpy async [%e] %x, %d : memref<64xf32>, memref<64xf32>
    %e2 = gpu.dealloc async [%e1] %d : memref<64xf32>
    gpu.wait [%e2]
    return
  }
  gpu.module @k {
    gpu.func @twice(%m: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %m[%i] : memref<64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %m[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @inc(%m: memref<64xf32>) kernel {
      %one = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %v = memref.load %m[%i] : memref<64xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %m[%i] : memref<64xf32>
      gpu.return
    }
  }
}
//// HALVES

func.func @main(%x: memref<64xi32>, %y: memref<64xi32>) {
  %v = arith.constant 1 : i32
  %a = gpu.wait async
  %b = gpu.wait async
  %l = memref.subview %x[0] [32] [1] : memref<64xi32> to memref<32xi32>
  %a1 = gpu.memset async [%a] %l, %v : memref<32xi32>, i32
  %r = memref.subview %y[0] [32] [1] : memref<64xi32> to memref<32xi32>
  %b1 = gpu.memset async [%b] %r, %v : memref<32xi32>, i32
  gpu.wait [%a1]
  gpu.wait [%b1]
  return
}
//// ORDER

func.func @main(%h: memref<8xf32>, %v: f32) {
  %a = gpu.wait async
  %d, %d1 = gpu.alloc async [%a] () : memref<8xf32>
  %a1 = gpu.memset async [%d1] %d, %v : memref<8xf32>, f32
  %b = gpu.wait async
  %e, %e1 = gpu.alloc async [%b] () : memref<8xf32>
  %b1 = gpu.memset async [%e1] %e, %v : memref<8xf32>, f32
  %c = gpu.wait async [%a1, %b1]
  %c1 = gpu.memcpy async [%c] %d, %e : memref<8xf32>, memref<8xf32>
  %c2 = gpu.memset async [%c1] %e, %v : memref<8xf32>, f32
  gpu.wait [%c2]
  return
}

//// STACK

func.func private @make() -> memref<8xf32> {
  %m = memref.alloca() : memref<8xf32>
  return %m : memref<8xf32>
}
func.func private @sum(%n: index) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %m = memref.alloca(%n) : memref<?xf32>
  scf.for %i = %zero to %n step %one {
    memref.store %v, %m[%i] : memref<?xf32>
  }
  %r = memref.load %m[%zero] : memref<?xf32>
  return %r : f32
}
func.func @main() -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 5000 : index
  %none = arith.constant 0.0 : f32
  BODY
  %r = scf.for %i = %zero to %many step %one iter_args(%all = %none) -> f32 {
    %v = func.call @sum(%one) : (index) -> f32
    %next = arith.addf %all, %v : f32
    scf.yield %next : f32
  }
  return %r : f32
}

//// BRANCHES

func.func @main(%first: i1) {
  %far = arith.constant 9 : index
  %v = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<4xf32>
  scf.if %first {
    memref.store %v, %m[%far] : memref<4xf32> // first
  } else {
    memref.store %v, %m[%far] : memref<4xf32> // second
  }
  memref.dealloc %m : memref<4xf32>
  return
}

//// COUNTS

func.func @main() {
  %one = arith.constant 1 : index
  %half = arith.constant 32 : index
  %all = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%tx, %ty, %tz) in (%sx = %all, %sy = %one, %sz = %one) {
    %id = arith.constant 1 : i32
    %expected = arith.constant 64 : i32
    %some = arith.cmpi ult, %tx, %half : index
    scf.if %some {
      BARRIER
    }
    gpu.terminator
  }
  return
}

//// MBARRIER

!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 1>
func.func @main() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %all = arith.constant 64 : index
  %count = arith.constant COUNT : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%tx, %ty, %tz) in (%sx = %all, %sy = %one, %sz = %one) {
    %b = nvgpu.mbarrier.create -> !barrier
    %first = arith.cmpi eq, %tx, %zero : index
    scf.if %first {
      nvgpu.mbarrier.init %b[%zero], %count : !barrier
    }
    gpu.barrier
    %token = nvgpu.mbarrier.arrive %b[%zero] : !barrier -> !nvgpu.mbarrier.token
    %phase = arith.constant false
    %ticks = arith.constant 10000000 : index
    nvgpu.mbarrier.try_wait.parity %b[%zero], %phase, %ticks : !barrier
    gpu.terminator
  }
  return
}
