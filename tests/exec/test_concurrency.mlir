//// MEETING

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @meet(%count: memref<1xi32>, %wanted: i32) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %before = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32>) -> i32
      scf.while : () -> () {
        %value = memref.atomic_rmw addi %zero, %count[%c0] : (i32, memref<1xi32>) -> i32
        %less = arith.cmpi slt, %value, %wanted : i32
        scf.condition(%less)
      } do {
        scf.yield
      }
      gpu.return
    }
  }
  func.func @main(%count: memref<1xi32>) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant BLOCKS : index
    %threads = arith.constant THREADS : index
    %wanted = arith.constant WANTED : i32
    %s = gpu.wait async
    %t = gpu.wait async
    %s1 = gpu.launch_func async [%s] @k::@meet blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%count : memref<1xi32>, %wanted : i32)
    %t1 = gpu.launch_func async [%OTHER] @k::@meet
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%count : memref<1xi32>, %wanted : i32)
    gpu.wait [%LAST]
    gpu.wait [%FIRST]
    return
  }
}
//// LOCK

func.func @main(%lock: memref<1xi32>, %sum: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.while : () -> () {
      %held = memref.atomic_rmw assign %one, %lock[%c0] : (i32, memref<1xi32>) -> i32
      %again = arith.cmpi eq, %held, %one : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %v = memref.load %sum[%c0] : memref<1xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %sum[%c0] : memref<1xi32>
    %free = memref.atomic_rmw assign %zero, %lock[%c0] : (i32, memref<1xi32>) -> i32
    gpu.terminator
  }
  return
}
//// HANDSHAKE

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @give(%flag: memref<1xi32>, %box: memref<4xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %one = arith.constant 1 : i32
      EARLY
      scf.for %i = %c0 to %c4 step %c1 {
        %v = arith.index_cast %i : index to i32
        %w = arith.addi %v, %one : i32
        memref.store %w, %box[%i] : memref<4xi32>
      }
      LATE
      gpu.return
    }
    gpu.func @take(%flag: memref<1xi32>, %box: memref<4xi32>, %out: memref<4xi32>) kernel {
      %c0 = arith.constant 0 : index
      %tx = gpu.thread_id x
      %zero = arith.constant 0 : i32
      %first = arith.cmpi eq, %tx, %c0 : index
      scf.if %first {
        scf.while : () -> () {
          %n = memref.atomic_rmw addi %zero, %flag[%c0] : (i32, memref<1xi32>) -> i32
          %none = arith.cmpi eq, %n, %zero : i32
          scf.condition(%none)
        } do {
          scf.yield
        }
      }
      gpu.barrier
      %v = memref.load %box[%tx] : memref<4xi32>
      memref.store %v, %out[%tx] : memref<4xi32>
      gpu.return
    }
  }
  func.func @main(%flag: memref<1xi32>, %box: memref<4xi32>, %out: memref<4xi32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %s = gpu.wait async
    %t = gpu.wait async
    %s1 = gpu.launch_func async [%s] @k::@take blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%flag : memref<1xi32>, %box : memref<4xi32>, %out : memref<4xi32>)
    %t1 = gpu.launch_func async [%t] @k::@give blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%flag : memref<1xi32>, %box : memref<4xi32>)
    gpu.wait [%s1, %t1]
    return
  }
}
