//// SAME
func.func private @make() -> !fly.layout<(4, 8) : (1, 4)>
func.func private @take(!fly.layout<(4,8):(1,4)>)
func.func @f() -> !fly.layout<(4,8):(1,4)> {
  %0 = call @make() : () -> !fly.layout<(4,8) : (1,4)>
  call @take(%0) : (!fly.layout<(4, 8):(1, 4)>) -> ()
  return %0 : !fly.layout<(4, 8) : (1, 4)>
}
//// STRING
func.func @f(%a: !fly.layout<"a b">) -> !fly.layout<"ab"> {
  return %a : !fly.layout<"a b">
}
//// WORDS
func.func @f(%a: !fly.layout<a b>) -> !fly.layout<ab> {
  return %a : !fly.layout<a b>
}
//// NUMBERS
func.func @f(%a: !fly.layout<(4, 8)>) -> !fly.layout<(48)> {
  return %a : !fly.layout<(4, 8)>
}
