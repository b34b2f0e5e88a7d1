//// OF_ORDER

func.func @a(%a: i32, %b: f32) {{
  // expected-error@+1 {{{{{0}}}}}
  %0 = arith.addi %b, %b : f32
}}
//// OF_PLACES

func.func @a() -> i32 {{
  {0}
  return
}}
