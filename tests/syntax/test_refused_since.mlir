//// XOR
func.func @f(%m: memref<4xi32>, %i: index, %k: i32) {
  %0 = memref.atomic_rmw xori %k, %m[%i] : (i32, memref<4xi32>) -> i32
  return
}
//// KERNEL
"builtin.module"() ({
  "gpu.module"() ({
    "gpu.func"() ({
    ^bb0(%a: index):
      "gpu.return"(%a) : (index) -> ()
    }) {sym_name = "foo", kernel, function_type = (index) -> index} : () -> ()
  }) {sym_name = "m"} : () -> ()
}) : () -> ()
//// INDICES
func.func @f(%m: memref<8xi32>) {
  %x = memref.generic_atomic_rmw %m[] : memref<8xi32> {
  ^bb0(%old: i32):
    memref.atomic_yield %old : i32
  }
  return
}
//// EXPANSION
func.func @f(%t: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
