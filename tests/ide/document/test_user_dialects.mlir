//// WRONG
func.func @f(%i: i32, %f: f32, %l: i64) {
  // expected-error @+1 {{expected 'i32' but got 'f32'}}
  %0 = "two.twice"(%i) : (i32) -> f32
  // expected-error @+1 {{'i64' does not satisfy the constraint}}
  %1 = "two.twice"(%l) : (i64) -> i64
  // expected-error @+1 {{op expects exactly 1 operands, but got 0}}
  %2 = "two.twice"() : () -> i32
  // expected-error @+1 {{op expects exactly 1 results, but got 0}}
  "two.twice"(%i) : (i32) -> ()
  // expected-error @+1 {{'two.twice' op unexpected number of regions: expected 0 but got 1}}
  %3 = "two.twice"(%i) ({}) : (i32) -> i32
  %4 = "two.twice"(%f) : (f32) -> f32
  return
}
