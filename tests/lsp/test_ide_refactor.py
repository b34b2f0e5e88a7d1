"""Refactorings: each offered where it fits, and what it writes."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.refactor import refactorings
from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.text import Span
from tests.lsp.marks import at_cursor, edited

CASES = {
    "Make this gpu.memcpy async": (
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  gpu.mem<|>cpy %a, %b : memref<4xf32>, memref<4xf32>
  return
}
""",
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %stream = gpu.wait async
  %token = gpu.memcpy async [%stream] %a, %b : memref<4xf32>, memref<4xf32>
  gpu.wait [%token]
  return
}
""",
    ),
    "Make this gpu.memcpy synchronous": (
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %t = gpu.wait async
  %c = gpu.mem<|>cpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>
  gpu.wait [%c]
  return
}
""",
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %t = gpu.wait async
  gpu.wait [%t]
  gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>
  return
}
""",
    ),
    "Make this gpu.alloc synchronous": (
        """\
func.func @f() -> memref<4xf32> {
  %m, %t = gpu.al<|>loc async () : memref<4xf32>
  gpu.wait [%t]
  return %m : memref<4xf32>
}
""",
        """\
func.func @f() -> memref<4xf32> {
  %m = gpu.alloc () : memref<4xf32>
  return %m : memref<4xf32>
}
""",
    ),
    "Split into two streams: run this on a new one": (
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %t = gpu.wait async
  %c = gpu.memcpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>
  %d = gpu.mem<|>cpy async [%t] %b, %a : memref<4xf32>, memref<4xf32>
  gpu.wait [%c, %d]
  return
}
""",
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %t = gpu.wait async
  %c = gpu.memcpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>
  %stream = gpu.wait async [%t]
  %d = gpu.memcpy async [%stream] %b, %a : memref<4xf32>, memref<4xf32>
  gpu.wait [%c, %d]
  return
}
""",
    ),
    "Join its dependencies into one stream": (
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %s = gpu.wait async
  %t = gpu.wait async
  %d = gpu.mem<|>cpy async [%s, %t] %b, %a : memref<4xf32>, memref<4xf32>
  gpu.wait [%d]
  return
}
""",
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %s = gpu.wait async
  %t = gpu.wait async
  %joined = gpu.wait async [%s, %t]
  %d = gpu.memcpy async [%joined] %b, %a : memref<4xf32>, memref<4xf32>
  gpu.wait [%d]
  return
}
""",
    ),
    "Name %0 %token": (
        """\
func.func @f() {
  %<|>0 = gpu.wait async
  gpu.wait [%0]
  return
}
""",
        """\
func.func @f() {
  %token = gpu.wait async
  gpu.wait [%token]
  return
}
""",
    ),
    "Convert to generic form": (
        """\
func.func @f(%a: i32) -> i32 {
  %b = arith.ad<|>di %a, %a : i32
  return %b : i32
}
""",
        """\
func.func @f(%a: i32) -> i32 {
  %b = "arith.addi"(%a, %a) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
  return %b : i32
}
""",
    ),
    "Convert to custom form": (
        """\
func.func @f(%a: !gpu.async.token) {
  %b = "gpu.wa<|>it"(%a) : (!gpu.async.token) -> !gpu.async.token
  gpu.wait [%b]
  return
}
""",
        """\
func.func @f(%a: !gpu.async.token) {
  %b = gpu.wait async [%a]
  gpu.wait [%b]
  return
}
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_refactoring(before: str, after: str, request: pytest.FixtureRequest) -> None:
    title = request.node.callspec.id
    state, offset = at_cursor(before)
    offered = {action.title: action for action in refactorings(state, Span(offset, offset))}
    text = edited(state, tuple(offered[title].edits()))
    assert text == after
    assert not parse_source(text).problems()


@pytest.mark.parametrize(
    "marked",
    [
        "func.func @f() {\n  <|>return\n}\n",
        "func.func @f(%a: !gpu.async.token) {\n  gpu.wait<|> [%a]\n  return\n}\n",
        "func.func @f() {\n  %x = = <|>?\n  return\n}\n",
    ],
)
def test_nothing_to_make_async_or_sync(marked: str) -> None:
    state, offset = at_cursor(marked)
    titles = [a.title for a in refactorings(state, Span(offset, offset))]
    assert not [t for t in titles if "sync" in t or "stream" in t]


def test_a_token_that_other_work_needs_is_not_taken_away() -> None:
    before = CASES["Split into two streams: run this on a new one"][0]
    marked = before.replace("<|>", "").replace(
        "%t = gpu.wait async", "%t0 = gpu.wait async\n  %m, %t = gpu.al<|>loc async [%t0] () : memref<4xf32>"
    )
    state, offset = at_cursor(marked)
    titles = [a.title for a in refactorings(state, Span(offset, offset))]
    assert "Make this gpu.alloc synchronous" not in titles
