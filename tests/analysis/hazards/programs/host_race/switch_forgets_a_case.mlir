// One case of a switch copies before it waits.
module attributes {gpu.container_module} {
  func.func @main(%k: index, %d: memref<256xf32>, %h: memref<256xf32>, %o: memref<256xf32>) {

    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
    scf.index_switch %k
    case 0 {
      gpu.wait [%a]
      memref.copy %h, %o : memref<256xf32> to memref<256xf32>
      scf.yield
    }
    case 1 {
      // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running if %k is 1.}}
      memref.copy %h, %o : memref<256xf32> to memref<256xf32>
      gpu.wait [%a]
      scf.yield
    }
    default {
      gpu.wait [%a]
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%k: index, %d: memref<256xf32>, %h: memref<256xf32>, %o: memref<256xf32>) {

    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
    scf.index_switch %k
    case 0 {
      gpu.wait [%a]
      memref.copy %h, %o : memref<256xf32> to memref<256xf32>
      scf.yield
    }
    case 1 {
      gpu.wait [%a]
      memref.copy %h, %o : memref<256xf32> to memref<256xf32>
      scf.yield
    }
    default {
      gpu.wait [%a]
    }
    return
  }
}
