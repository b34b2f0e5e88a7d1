// One case of index_switch lacks the wait.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    %x = scf.index_switch %n -> f32
    case 0 {
      gpu.wait [%c]
      %y = memref.load %d[%c0] : memref<64xf32>
      scf.yield %y : f32
    }
    default {
      // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running if %n is none of the cases.}}
      %y = memref.load %d[%c1] : memref<64xf32>
      gpu.wait [%c]
      scf.yield %y : f32
    }
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    %x = scf.index_switch %n -> f32
    case 0 {
      gpu.wait [%c]
      %y = memref.load %d[%c0] : memref<64xf32>
      scf.yield %y : f32
    }
    default {
      gpu.wait [%c]
      %y = memref.load %d[%c1] : memref<64xf32>
      scf.yield %y : f32
    }
    return %x : f32
  }
}
