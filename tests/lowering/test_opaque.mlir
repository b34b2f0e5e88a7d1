//// TEXT
func.func @f(%a: memref<4xf32>, %n: index) -> f32 {
  %s = acme.stream {kind = 3 : i32}
  %r = acme.fused(%a, %n) attributes {x} {
    %q = arith.constant 1 : index
    acme.inner %q, %n : index
  } : memref<4xf32>
  %v:2 = acme.for %i = %n to %n iter(%z = %r) {
    %w = arith.addi %i, %n : index
    acme.yield %w, %i
  } else {
  ^bb0(%p: f32):
    acme.other %p
  }
  %t = gpu.wait async
  %t2 = acme.async [%t] %a
  gpu.wait [%t2]
  %x = arith.addf %v#1, %r : f32
  return %x : f32
}
