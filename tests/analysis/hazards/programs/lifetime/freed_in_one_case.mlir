// One case of a switch frees what is freed behind it.
module attributes {gpu.container_module} {
  func.func @main(%k: index, %h: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %t1 = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    scf.index_switch %k
    case 0 {
      %d = gpu.dealloc async [%t1] %x : memref<256xf32>
      scf.yield
    }
    default {
    }
    // expected-error @+1 {{GA304: %x is freed again here if %k is 0.}}
    %e = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%e]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%k: index, %h: memref<256xf32>) {
    %s = gpu.wait async
    %x, %t0 = gpu.alloc async [%s] () : memref<256xf32>
    %t1 = gpu.memcpy async [%t0] %x, %h : memref<256xf32>, memref<256xf32>
    scf.index_switch %k
    case 0 {
      %d = gpu.memcpy async [%t1] %h, %x : memref<256xf32>, memref<256xf32>
      scf.yield
    }
    default {
    }
    %e = gpu.dealloc async [%s] %x : memref<256xf32>
    gpu.wait [%e]
    return
  }
}
