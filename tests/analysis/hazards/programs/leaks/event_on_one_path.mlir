// An event that is joined on one path.
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %x: memref<256xf32>, %y: memref<256xf32>, %h: memref<256xf32>) {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %h : memref<256xf32>, memref<256xf32>
    scf.if %c {
      // expected-warning @+1 {{GA402: The event for %a is recorded where %a is defined, and destroyed only here: it leaks if %c is false.}}
      %j = gpu.wait async [%a]
      %b = gpu.memcpy async [%j] %y, %x : memref<256xf32>, memref<256xf32>
      gpu.wait [%b]
    }
    gpu.wait [%a]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %x: memref<256xf32>, %y: memref<256xf32>, %h: memref<256xf32>) {
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %x, %h : memref<256xf32>, memref<256xf32>
    %j = gpu.wait async [%a]
    %b = gpu.memcpy async [%j] %y, %x : memref<256xf32>, memref<256xf32>
    gpu.wait [%b]
    gpu.wait [%a]
    return
  }
}
