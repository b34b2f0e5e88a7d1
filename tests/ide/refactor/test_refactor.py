"""Refactorings: where each is offered, and its result."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.ide.refactor import refactorings
from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.text import Severity, Span
from tests.support.marks import at_cursor, edited
from tests.support.tools import mlir_opt

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
    "Make this gpu.alloc synchronous": (
        """\
func.func @f() -> memref<4xf32> {
  %s = gpu.wait async
  %m, %t = gpu.al<|>loc async [%s] () : memref<4xf32>
  gpu.wait [%t]
  return %m : memref<4xf32>
}
""",
        """\
func.func @f() -> memref<4xf32> {
  %s = gpu.wait async
  gpu.wait [%s]
  %m = gpu.alloc () : memref<4xf32>
  return %m : memref<4xf32>
}
""",
    ),
    "Split into two streams: run this on a new one": (
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %v: f32) {
  %t = gpu.wait async
  %x = gpu.memset async [%t] %a, %v : memref<4xf32>, f32
  %y = gpu.mem<|>set async [%t] %b, %v : memref<4xf32>, f32
  %z = gpu.memcpy async [%y] %c, %b : memref<4xf32>, memref<4xf32>
  gpu.wait [%z]
  return
}
""",
        """\
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %v: f32) {
  %t = gpu.wait async
  %x = gpu.memset async [%t] %a, %v : memref<4xf32>, f32
  %stream = gpu.wait async [%t]
  %y = gpu.memset async [%stream] %b, %v : memref<4xf32>, f32
  %z = gpu.memcpy async [%y] %c, %b : memref<4xf32>, memref<4xf32>
  gpu.wait [%z, %x]
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
  %join = gpu.wait async [%s, %t]
  %d = gpu.memcpy async [%join] %b, %a : memref<4xf32>, memref<4xf32>
  gpu.wait [%d, %s, %t]
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


def titles(marked: str) -> list[str]:
    state, offset = at_cursor(marked)
    return [a.title for a in refactorings(state, Span(offset, offset))]


@pytest.mark.parametrize(("version", "offered"), [(16, False), (22, False), (24, True)])
def test_what_the_target_would_leave_unconverted_is_not_made_synchronous(version: int, offered: bool) -> None:
    comment = f"// gpuasync: llvm={version}\n"
    alloc = CASES["Make this gpu.alloc synchronous"][0]
    assert ("Make this gpu.alloc synchronous" in titles(comment + alloc)) is offered
    copy = "%c = gpu.mem<|>cpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>"
    function = f"func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {{\n  %t = gpu.wait async\n  {copy}\n"
    assert "Make this gpu.memcpy synchronous" not in titles(
        comment + function + "  gpu.wait [%c]\n  return\n}\n"
    )


def test_a_token_that_other_work_needs_is_not_taken_away() -> None:
    before = CASES["Split into two streams: run this on a new one"][0]
    marked = before.replace("<|>", "").replace(
        "%t = gpu.wait async",
        "%t0 = gpu.wait async\n  %m, %t = gpu.al<|>loc async [%t0] () : memref<4xf32>",
    )
    assert "Make this gpu.alloc synchronous" not in titles(marked)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  return", "  %e = gpu.dealloc async [%s] %m : memref<4xf32>\n  return"),
        ("  gpu.wait [%t]", "  gpu.wait [%t]\n  gpu.wait [%s]"),
        ("-> memref<4xf32>", "-> (memref<4xf32>, !gpu.async.token)"),
    ],
)
def test_a_stream_that_is_needed_later_is_not_destroyed(old: str, new: str) -> None:
    title = "Make this gpu.alloc synchronous"
    before = CASES[title][0]
    assert title in titles(before)
    after = before.replace(old, new)
    if "!gpu.async.token" in new:
        after = after.replace("return %m : memref<4xf32>", "return %m, %s : memref<4xf32>, !gpu.async.token")
    assert title not in titles(after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%a, %v", "%b, %v"),  # The other op writes the same buffer.
        ("gpu.wait [%z]", "gpu.wait [%y]\n  gpu.wait [%t]"),  # With two waits, the stream is not in order.
        ("return", "%w = gpu.memcpy async [%z] %c, %a : memref<4xf32>, memref<4xf32>\n  return"),
    ],
)
def test_work_that_is_not_independent_is_not_split(old: str, new: str) -> None:
    title = "Split into two streams: run this on a new one"
    assert title in titles(CASES[title][0])
    assert title not in titles(CASES[title][0].replace(old, new, 1))


def test_what_has_no_async_form_is_not_made_async() -> None:
    alloc = "func.func @f() {\n  %m = gpu.al<|>loc SHARED() : memref<4xf32>\n  return\n}\n"
    assert "Make this gpu.alloc async" in titles(alloc.replace("SHARED", ""))
    assert "Make this gpu.alloc async" not in titles(alloc.replace("SHARED", "host_shared "))


LOWERED = [title for title in CASES if title.startswith(("Split", "Join", "Make this gpu.memcpy async"))]


@pytest.mark.parametrize("title", LOWERED)
def test_the_result_lowers_and_nothing_is_found_in_it(title: str) -> None:
    after = CASES[title][1]
    found = check_source(after, Config(22))
    assert [f.message for f in found if f.severity <= Severity.WARNING] == []
    lowered = mlir_opt(22)(after, "--gpu-to-llvm")
    assert lowered.code == 0, lowered.err
    assert "gpu." not in lowered.out.replace("gpu.async", "")
