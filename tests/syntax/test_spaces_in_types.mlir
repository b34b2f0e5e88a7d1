//// SAME
!row = !fly.layout<(4, 8)>
#order = #fly.order<(1, 0)>
func.func private @make() -> !fly.layout<(4, 8) : (1, 4)>
func.func private @take(!fly.layout<(4,8):(1,4)>)
func.func private @tiled() -> memref<4x8xf32, #fly.order<(1,0)>>
func.func private @other() -> (!fly.list<!row>, !fly<layout<(4, 8)>>, !fly.dims<4 x ? x f32>)
func.func @f() -> !fly.layout<(4,8):(1,4)> {
  %0 = call @make() : () -> !fly.layout<(4,8) : (1,4)>
  call @take(%0) : (!fly.layout<(4, 8):(1, 4)>) -> ()
  %1 = call @tiled() : () -> memref<4x8xf32, #order>
  %2:3 = call @other() : () -> (!fly.list<!fly.layout<(4,8)>>, !row, !fly.dims<4x?xf32>)
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
//// GROUPS
func.func @f(%a: !fly<layout<a> b<c>>) -> !fly.layout<a> {
  return %a : !fly<layout<a> b<c>>
}
