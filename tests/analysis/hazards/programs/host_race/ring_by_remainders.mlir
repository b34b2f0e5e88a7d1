// Three further on in a ring of three is the same row.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @row(%p: memref<64xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%i] : memref<64xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @scale(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %p[%i] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %p[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @upper(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %j = arith.addi %i, %c32 : index
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
    gpu.func @add(%o: memref<64xf32>, %a: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %o[%i] : memref<64xf32>
      %z = memref.load %a[%i] : memref<64xf32>
      %y = arith.addf %x, %z : f32
      memref.store %y, %o[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%ring: memref<3x64xf32>, %h: memref<64xf32>, %o: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %a = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
      %b = affine.apply affine_map<(d0) -> ((d0 + 3) mod 3)>(%i)
      %ra = memref.subview %ring[%a, 0] [1, 64] [1, 1] : memref<3x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      %rb = memref.subview %ring[%b, 0] [1, 64] [1, 1] : memref<3x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      affine.for %j = 0 to 64 {
        %x = affine.load %ra[%j] : memref<64xf32, strided<[1], offset: ?>>
        affine.store %x, %o[%j] : memref<64xf32>
      }
      %s = gpu.wait async
      %k = gpu.launch_func async [%s] @kernels::@row blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%rb : memref<64xf32, strided<[1], offset: ?>>)
      // expected-warning @+1 {{GA302: The host reads %ring while the gpu.launch_func that writes it may still be running.}}
      %y = memref.load %ra[%c1] : memref<64xf32, strided<[1], offset: ?>>
      memref.store %y, %o[%c0] : memref<64xf32>
      gpu.wait [%k]
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @row(%p: memref<64xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%i] : memref<64xf32, strided<[1], offset: ?>>
      gpu.return
    }
    gpu.func @scale(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %p[%i] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %p[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @upper(%p: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %j = arith.addi %i, %c32 : index
      %v = arith.constant 3.0 : f32
      memref.store %v, %p[%j] : memref<64xf32>
      gpu.return
    }
    gpu.func @add(%o: memref<64xf32>, %a: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %o[%i] : memref<64xf32>
      %z = memref.load %a[%i] : memref<64xf32>
      %y = arith.addf %x, %z : f32
      memref.store %y, %o[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%ring: memref<3x64xf32>, %h: memref<64xf32>, %o: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %a = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
      %b = affine.apply affine_map<(d0) -> ((d0 + 2) mod 3)>(%i)
      %ra = memref.subview %ring[%a, 0] [1, 64] [1, 1] : memref<3x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      %rb = memref.subview %ring[%b, 0] [1, 64] [1, 1] : memref<3x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      affine.for %j = 0 to 64 {
        %x = affine.load %ra[%j] : memref<64xf32, strided<[1], offset: ?>>
        affine.store %x, %o[%j] : memref<64xf32>
      }
      %s = gpu.wait async
      %k = gpu.launch_func async [%s] @kernels::@row blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%rb : memref<64xf32, strided<[1], offset: ?>>)
      %y = memref.load %ra[%c1] : memref<64xf32, strided<[1], offset: ?>>
      memref.store %y, %o[%c0] : memref<64xf32>
      gpu.wait [%k]
    }
    return
  }
}
