//// NARROW
func.func @main(%a: memref<8xELEMENT>, %s: ELEMENT, %o: memref<8xELEMENT>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %v = memref.load %a[%tx] : memref<8xELEMENT>
    %first = arith.cmpi eq, %tx, %c1 : index
    memref.store %v, %o[%tx] : memref<8xELEMENT>
    scf.if %first {
      memref.store %s, %o[%tx] : memref<8xELEMENT>
    }
    gpu.terminator
  }
  return
}

//// POINTERS
module attributes {gpu.container_module} {
  llvm.func @mgpuStreamSynchronize(!llvm.ptr)
  gpu.module @kernels {
    llvm.func @twice(%p: !llvm.ptr, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %inside = llvm.icmp "slt" %t, %n : i32
      llvm.cond_br %inside, ^double, ^end
    ^double:
      %q = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %v = llvm.load %q : !llvm.ptr -> f32
      %w = llvm.fadd %v, %v : f32
      llvm.store %w, %q : f32, !llvm.ptr
      llvm.br ^end
    ^end:
      llvm.return
    }
  }
  llvm.func @host(%p: !llvm.ptr, %n: i32, %stream: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    %threads = llvm.mlir.constant(64 : i64) : i64
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@twice blocks in (%one, %one, %one)
        threads in (%threads, %one, %one) : i64 args(%p : !llvm.ptr, %n : i32)
    llvm.call @mgpuStreamSynchronize(%stream) : (!llvm.ptr) -> ()
    llvm.return
  }
}

//// DESCRIPTOR
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @twice(%m: memref<?x?xf32>) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      %v = memref.load %m[%j, %i] : memref<?x?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %m[%j, %i] : memref<?x?xf32>
      gpu.return
    }
  }
  llvm.func @host(%base: !llvm.ptr, %start: !llvm.ptr, %offset: i64, %rows: i64, %columns: i64, %step: i64,
                  %next: i64) {
    %one = llvm.mlir.constant(1 : index) : i64
    %u0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %u1 = llvm.insertvalue %base, %u0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %u2 = llvm.insertvalue %start, %u1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %u3 = llvm.insertvalue %offset, %u2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %u4 = llvm.insertvalue %rows, %u3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %u5 = llvm.insertvalue %columns, %u4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %u6 = llvm.insertvalue %step, %u5[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %u7 = llvm.insertvalue %next, %u6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %m = builtin.unrealized_conversion_cast %u7
      : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<?x?xf32>
    %size = builtin.unrealized_conversion_cast %one : i64 to index
    %width = builtin.unrealized_conversion_cast %columns : i64 to index
    %height = builtin.unrealized_conversion_cast %rows : i64 to index
    gpu.launch_func @kernels::@twice blocks in (%size, %size, %size) threads in (%width, %height, %size)
        args(%m : memref<?x?xf32>)
    llvm.return
  }
}

//// UNREGISTERED
func.func @main(
    %a: memref<8xf32>,
    %b: memref<8xf32>
) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %f, %b[%c0] : memref<8xf32>
    gpu.terminator
  }
  return
}

//// WORKGROUP_HOST
// A helper for kernels; it remains in the host's module, whose accesses of memory are checked.
func.func @main() -> memref<1xf32> {
  %c1 = arith.constant 1 : index
  %h = memref.alloc() : memref<1xf32>
  %s = gpu.wait async
  %d, %s1 = gpu.alloc async [%s] () : memref<1xf32>
  %s2 = gpu.launch async [%s1] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      workgroup(%w: memref<1xf32, 3>) {
    func.call @put(%w) : (memref<1xf32, 3>) -> ()
    %c0 = arith.constant 0 : index
    %v = memref.load %w[%c0] : memref<1xf32, 3>
    memref.store %v, %d[%c0] : memref<1xf32>
    gpu.terminator
  }
  %s3 = gpu.memcpy async [%s2] %h, %d : memref<1xf32>, memref<1xf32>
  %s4 = gpu.dealloc async [%s3] %d : memref<1xf32>
  gpu.wait [%s4]
  return %h : memref<1xf32>
}
func.func private @put(%w: memref<1xf32, 3>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 7.0 : f32
  memref.store %f, %w[%c0] : memref<1xf32, 3>
  return
}

//// VECTORS
func.func @main(%x: memref<2x?xvector<2xf32>, strided<[4, 1]>>) -> memref<2xvector<2xf32>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() : memref<2xvector<2xf32>>
  scf.for %i = %c0 to %c2 step %c1 {
    %v = memref.load %x[%i, %c1] : memref<2x?xvector<2xf32>, strided<[4, 1]>>
    memref.store %v, %r[%i] : memref<2xvector<2xf32>>
  }
  return %r : memref<2xvector<2xf32>>
}
