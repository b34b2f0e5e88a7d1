//// ENDLESS_HOST

func.func @main() {
  cf.br ^again
^again:
  cf.br ^again
}
//// ENDLESS_KERNEL

func.func @main() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    cf.br ^again
  ^again:
    gpu.barrier
    cf.br ^again
  }
  return
}
//// GOOD

func.func @main() -> i32 {
  %c = arith.constant 42 : i32
  return %c : i32
}
//// PRINTING

func.func private @printI64(i64)
func.func @main() {
  %v = arith.constant 7 : i64
  cf.br ^again
^again:
  func.call @printI64(%v) : (i64) -> ()
  cf.br ^again
}
//// STACK_OVERFLOW

func.func private @deep(%n: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %m = arith.addi %n, %c1 : i64
  %r = func.call @deep(%m) : (i64) -> i64
  %s = func.call @deep(%r) : (i64) -> i64
  %t = arith.xori %r, %s : i64
  return %t : i64
}
func.func @main() -> i64 {
  %c = arith.constant 0 : i64
  %r = func.call @deep(%c) : (i64) -> i64
  return %r : i64
}
//// DIVISION

func.func @main(%a: i32, %b: i32) -> i32 {
  %r = arith.divsi %a, %b : i32
  return %r : i32
}
//// WILD_POINTER

module {
  llvm.func @poke(%a: i64) {
    %p = llvm.inttoptr %a : i64 to !llvm.ptr
    %c = llvm.mlir.constant(1 : i32) : i32
    llvm.store %c, %p : i32, !llvm.ptr
    llvm.return
  }
  func.func @main() {
    %a = arith.constant 105553116266496 : i64
    llvm.call @poke(%a) : (i64) -> ()
    return
  }
}
//// WILD_TEXT

module {
  llvm.func @strlen(!llvm.ptr) -> i64
  func.func @main() -> i64 {
    %a = llvm.mlir.constant(105553116266496 : i64) : i64
    %p = llvm.inttoptr %a : i64 to !llvm.ptr
    %n = llvm.call @strlen(%p) : (!llvm.ptr) -> i64
    return %n : i64
  }
}
//// ABORT

func.func private @abort()
func.func @main() {
  func.call @abort() : () -> ()
  return
}
//// KERNEL_FAULT

func.func @main() {{
  %c1 = arith.constant 1 : index
  %t = gpu.wait async
  %d, %t1 = gpu.alloc async [%t] () : memref<64xi8>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
    {body}
    gpu.terminator
  }}
  %t3 = gpu.dealloc async [%t2] %d : memref<64xi8>
  gpu.wait [%t3]
  return
}}
//// COPY

func.func @main(%a: memref<16xi32>, %b: memref<8xi32>) {{
  %c1 = arith.constant 1 : index
  %c = memref.cast %b : memref<8xi32> to memref<?xi32>
  %d = memref.reinterpret_cast %c to offset: [0], sizes: [16], strides: [1]
      : memref<?xi32> to memref<16xi32>
  {copy}
  return
}}
//// OVER

module attributes {gpu.container_module} {
  func.func @main(%x: memref<4x8xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %size = arith.constant 8 : i32
    gpu.launch_func @m::@k blocks in (%c3, %c2, %c1) threads in (%c8, %c1, %c1)
        dynamic_shared_memory_size %size args(%x : memref<4x8xf32>)
    return
  }
  gpu.module @m {
    gpu.func @k(%x: memref<4x8xf32>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %i = gpu.block_id x
      %j = gpu.block_id y
      %c2 = arith.constant 2 : index
      %r = arith.muli %i, %c2 : index
      %row = arith.addi %r, %j : index
      %v = arith.constant 1.0 : f32
      BARRIER
      memref.store %v, %x[%row, %t] : memref<4x8xf32> // over
      %w = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %f = memref.view %w[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<8xf32, #gpu.address_space<workgroup>>
      memref.store %v, %f[%t] : memref<8xf32, #gpu.address_space<workgroup>> // shared
      gpu.return
    }
  }
}
//// OFTEN

module attributes {gpu.container_module} {
  func.func @main(%a: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %c800 = arith.constant 800 : index
    %v = arith.constant 1 : i32
    %b = memref.alloc() : memref<64xi32>
    gpu.launch_func @m::@k blocks in (%c256, %c1, %c1) threads in (%c256, %c1, %c1) // first
        args(%a : memref<8xi32>, %b : memref<64xi32>)
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) // second
        args(%a : memref<8xi32>, %b : memref<64xi32>)
    memref.dealloc %b : memref<64xi32>
    scf.for %i = %c0 to %c800 step %c1 {
      memref.store %v, %a[%i] : memref<8xi32> // host
    }
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<8xi32>, %b: memref<64xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant 0 : i32
      scf.for %i = %c0 to %c64 step %c1 {
        %v = memref.load %a[%c0] : memref<8xi32> // unregistered
        %q = arith.divsi %v, %zero : i32 // division
        memref.store %q, %b[%i] : memref<64xi32> // host memory
      }
      gpu.return
    }
  }
}
