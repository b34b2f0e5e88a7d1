"""Names: definition, references, renaming, linked editing."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.features.linked_editing import linked_spans
from gpuasync_lsp.ide.features.rename import CannotRename, rename
from gpuasync_lsp.ide.lookup.entities import entity_at
from gpuasync_lsp.text import Span
from tests.support.marks import at_cursor, edited, ranges

MENTIONS = {
    "value": """
func.func @f(%a: i32) {
  «%b» = arith.addi %a, %a : i32
  %c = arith.addi «%b», «%<|>b» : i32
  return
}
""",
    "argument": """
func.func @f(«%<|>a»: i32) {
  %b = arith.addi «%a», «%a» : i32
  return
}
func.func @g(%a: i32) {
  return
}
""",
    "result group": """
func.func @f() {
  «%r»:2 = "t.two"() : () -> (i32, i32)
  %c = arith.addi «%r»#0, «%<|>r»#1 : i32
  return
}
""",
    "two results": """
func.func @f(%n: index) {
  %t = gpu.wait async
  %m, «%s» = gpu.alloc async [%t] (%n) : memref<?xf32>
  gpu.wait [«%<|>s»]
  return
}
""",
    "symbol of the generic form": """
"builtin.module"() ({
  "gpu.module"() <{sym_name = "a"}> ({
    "gpu.func"() <{function_type = () -> ()}> ({
      "gpu.return"() : () -> ()
    }) {gpu.kernel, sym_name = «"<|>k"»} : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "k"}> ({
    "t.launch"() {kernel = @a::«@k», other = @k} : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
""",
    "symbol of another dialect": """
transform.named_sequence private «@<|>f»(%a: !transform.any_op {transform.readonly}) {
  transform.yield
}
transform.named_sequence @g(%a: !transform.any_op {transform.readonly}) {
  transform.include «@f» failures(propagate) (%a) : (!transform.any_op) -> ()
  transform.yield
}
""",
    "block": """
func.func @f(%c: i1) {
  cf.cond_br %c, «^<|>a», ^b
«^a»:
  cf.br ^b
^b:
  return
}
""",
    "block argument": """
func.func @f(%c: i32) {
  cf.br ^a(%c : i32)
^a(«%<|>x»: i32):
  "t.use"(«%x») : (i32) -> ()
  return
}
""",
    "kernel": """
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func «@go»() kernel {
      gpu.return
    }
  }
  gpu.module @other {
    gpu.func @go() kernel {
      gpu.return
    }
  }
  func.func @f(%c: index) {
    gpu.launch_func @k::«@<|>go» blocks in (%c, %c, %c) threads in (%c, %c, %c)
    gpu.launch_func @other::@go blocks in (%c, %c, %c) threads in (%c, %c, %c)
    return
  }
}
""",
    "container": """
module attributes {gpu.container_module} {
  gpu.module «@<|>k» {
    gpu.func @go() kernel {
      gpu.return
    }
  }
  func.func @f(%c: index) {
    gpu.launch_func «@k»::@go blocks in (%c, %c, %c) threads in (%c, %c, %c)
    return
  }
}
""",
    "function, in its chunk only": """
func.func private «@g»()
func.func @f() {
  call «@<|>g»() : () -> ()
  return
}
// -----
func.func private @g()
""",
    "recursive function": """
func.func «@<|>f»() {
  call «@f»() : () -> ()
  return
}
""",
    "alias": """
«#map» = affine_map<(d0) -> (d0)>
func.func private @f(memref<4xf32, «#<|>map»>)
""",
    "beside a syntax error": """
func.func @f(%a: i32) {
  «%b» = arith.addi %a, %a : i32
  %x = = ?
  %c = arith.addi «%<|>b», %a : i32
  return
}
""",
    "in an unknown op": """
func.func @f(«%a»: i32) {
  tt.magic «%<|>a» with speed
  return
}
""",
}


@pytest.mark.parametrize("marked", MENTIONS.values(), ids=MENTIONS)
def test_every_mention(marked: str) -> None:
    text, expected = ranges(marked)
    state, offset = at_cursor(text)
    expected = [Span(s.start - 3 * (s.start > offset), s.end - 3 * (s.end > offset)) for s in expected]
    entity = entity_at(state.source, offset)
    assert entity is not None
    assert [o.span for o in entity.occurrences] == expected
    assert len(entity.definitions) == 1


def test_nothing_is_named_between_words() -> None:
    state, offset = at_cursor("func.func @f() {\n  <|>\n  return\n}\n")
    assert entity_at(state.source, offset) is None


@pytest.mark.parametrize(
    ("marked", "name", "expected"),
    [
        (
            'func.func @f(%<|>a: i32) {\n  "t.u"(%a) : (i32) -> ()\n  return\n}\n',
            "%b",
            '%b: i32) {\n  "t.u"(%b)',
        ),
        (
            'func.func @f(%<|>a: i32) {\n  "t.u"(%a) : (i32) -> ()\n  return\n}\n',
            "b",
            '%b: i32) {\n  "t.u"(%b)',
        ),
        ("func.func @<|>f() {\n  return\n}\n", "g h", 'func.func @"g h"()'),
        ("func.func @f() {\n  cf.br ^<|>a\n^a:\n  return\n}\n", "^z", "cf.br ^z\n^z:"),
        ("#<|>m = affine_map<(d0) -> (d0)>\nfunc.func private @f(memref<4xf32, #m>)\n", "#n", "#n = affine"),
        (
            '"func.func"() <{function_type = () -> (), sym_name = "f"}> ({\n'
            '  "func.call"() <{callee = @<|>f}> : () -> ()\n  "func.return"() : () -> ()\n}) : () -> ()\n',
            "g",
            'sym_name = "g"}> ({\n  "func.call"() <{callee = @g}>',
        ),
    ],
)
def test_rename(marked: str, name: str, expected: str) -> None:
    state, offset = at_cursor(marked)
    assert expected in edited(state, rename(state.source, offset, name))


@pytest.mark.parametrize(
    ("marked", "name", "reason"),
    [
        ("func.func @f(%<|>a: i32, %b: i32) {\n  return\n}\n", "%b", "already used for"),
        ("func.func @f(%<|>a: i32) {\n  return\n}\n", "no name", "cannot be the name"),
        ("func.func @<|>f() {\n  return\n}\nfunc.func private @g()\n", "@g", "already used for"),
        ("func.func @f() {\n  <|>\n  return\n}\n", "x", "nothing to rename"),
        ("func.func @f(%<|>a: i32, %ab: i32) {\n  return // %b\n}\n", "ab", "already used for"),
    ],
)
def test_what_cannot_be_renamed(marked: str, name: str, reason: str) -> None:
    state, offset = at_cursor(marked)
    with pytest.raises(CannotRename, match=reason):
        rename(state.source, offset, name)


def test_linked_editing_is_for_local_names() -> None:
    state, offset = at_cursor('func.func @f(%<|>a: i32) {\n  "t.u"(%a) : (i32) -> ()\n  return\n}\n')
    assert [s.of(state.text) for s in linked_spans(state.source, offset)] == ["%a", "%a"]
    state, offset = at_cursor("func.func @<|>f() {\n  return\n}\n")
    assert linked_spans(state.source, offset) == []


def test_a_name_in_a_comment_is_free() -> None:
    state, offset = at_cursor(
        'func.func @f(%<|>a: i32, %ab: i32) attributes {s = "%b"} {\n  return // %b\n}\n'
    )
    assert len(rename(state.source, offset, "%b")) == 1
