"""Completion and signature help, where the cursor is."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.completion import Completion, completions
from gpuasync_lsp.ide.signature_help import signature_at
from tests.lsp.marks import at_cursor

FORK = """
func.func @f(%h: memref<8xf32>, %n: index, %v: f32) {{
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %m, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
  %u0 = gpu.wait async
  {line}
  %later = gpu.wait async
  return
}}
"""

LAUNCH = """
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @scale(%m: memref<8xf32>, %f: f32) kernel {{
      gpu.return
    }}
    gpu.func @helper() {{
      gpu.return
    }}
  }}
  func.func private @log(%x: i32)
  func.func @f(%m: memref<8xf32>, %f: f32, %x: i32) {{
    %t = gpu.wait async
    {line}
    return
  }}
}}
"""


def offered(source: str, line: str) -> list[Completion]:
    state, offset = at_cursor(source.format(line=line))
    return completions(state, offset)


def labels(source: str, line: str) -> list[str]:
    return [c.label for c in offered(source, line)]


def test_dependencies_are_tokens_the_nearest_first() -> None:
    assert labels(FORK, "%t2 = gpu.memcpy async [<|>] %m, %h : memref<8xf32>, memref<8xf32>") == [
        "%u0",
        "%t1",
        "%t0",
    ]
    assert labels(FORK, "gpu.wait [<|>]") == ["%u0", "%t1", "%t0"]


def test_streams_that_are_listed_already_come_last() -> None:
    assert labels(FORK, "%t2 = gpu.wait async [%t1, <|>]") == ["%u0", "%t0"]
    found = offered(FORK, "%t2 = gpu.wait async [%t1, %<|>]")
    assert [(c.label, c.detail) for c in found] == [("%u0", "stream 1"), ("%t0", "stream 0, ordered already")]


def test_only_what_is_defined_above_is_offered() -> None:
    found = labels(FORK, '"t.use"(%<|>) : (index) -> ()')
    assert "%later" not in found
    assert set(found) == {"%u0", "%m", "%t1", "%t0", "%c1", "%h", "%n", "%v"}


def test_a_copy_wants_memrefs_first() -> None:
    found = labels(FORK, "%t2 = gpu.memcpy async [%t1] %<|>")
    assert found[:2] == ["%m", "%h"]


def test_what_is_typed_narrows_and_is_replaced() -> None:
    (found,) = offered(FORK, "gpu.wait [%u<|>]")
    assert found.label == "%u0"
    assert found.span.end - found.span.start == 2


@pytest.mark.parametrize("line", ["gpu.<|>", "%x = gpu.<|>", "<|>"])
def test_ops_at_the_begin_of_a_statement(line: str) -> None:
    found = {c.label: c for c in offered(FORK, line)}
    assert "gpu.wait" in found
    assert ("func.call" in found) == ("gpu" not in line)
    named = line.startswith("%")
    assert found["gpu.memcpy"].snippet.startswith("gpu.memcpy" if named else "%token = gpu.memcpy")


def test_keywords_of_an_op() -> None:
    found = labels(LAUNCH, "gpu.launch_func @kernels::@scale blocks in (%x, %x, %x) t<|>")
    assert found[0] == "threads in"
    assert "blocks in" not in found
    assert labels(FORK, "%i = gpu.thread_id <|>") == ["x", "y", "z"]
    assert labels(FORK, "%a, %b = gpu.alloc <|>") == ["async", "host_shared"]


def test_kernels_come_with_their_arguments() -> None:
    found = offered(LAUNCH, "gpu.launch_func async [%t] @<|>")
    assert found[0].label == "@kernels::@scale"
    assert found[0].snippet == (
        "@kernels::@scale blocks in (${1:%c1, %c1, %c1}) threads in (${2:%c1, %c1, %c1}) "
        "args(${3:%m} : memref<8xf32>, ${4:%f} : f32)"
    )
    assert "@kernels::@helper" not in [c.label for c in found]


def test_functions_after_a_call() -> None:
    assert labels(LAUNCH, "func.call @<|>")[0] in ("@f", "@log")


def test_blocks_and_aliases() -> None:
    state, offset = at_cursor("func.func @f() {\n  cf.br ^<|>\n^there:\n  return\n}\n")
    assert [c.label for c in completions(state, offset)] == ["^there"]
    state, offset = at_cursor("#map = affine_map<(d0) -> (d0)>\nfunc.func private @f(memref<4xf32, #<|>>)\n")
    assert "#map" in [c.label for c in completions(state, offset)]


def test_comments_are_left_alone() -> None:
    assert labels(FORK, "// gpu.<|>") == []
    assert labels(FORK, '"t.op"() {a = "b://c"} : () -> () // <|>') == []
    assert "%m" in labels(FORK, '"t.op"() {a = "b://c"} : () -> () "t.op"(%<|>) : (index) -> ()')


def test_completion_beside_a_syntax_error() -> None:
    assert "%t1" in labels(FORK, "%x = = ?\n  %t2 = gpu.memcpy async [<|>")


@pytest.mark.parametrize(
    ("line", "label", "active"),
    [
        (
            "gpu.launch_func @kernels::@scale blocks in (%x, %x, %x) threads in (%x, %x, %x) args(<|>",
            "@scale",
            0,
        ),
        (
            "gpu.launch_func @kernels::@scale blocks in (%x, %x, %x) threads in (%x, %x, %x) "
            "args(%m : memref<8xf32>, <|>)",
            "@scale",
            1,
        ),
        ("func.call @log(<|>) : (i32) -> ()", "@log", 0),
        ("call @log(%x<|>) : (i32) -> ()", "@log", 0),
    ],
)
def test_signature_help(line: str, label: str, active: int) -> None:
    state, offset = at_cursor(LAUNCH.format(line=line))
    found = signature_at(state.source, offset)
    assert found is not None
    assert found.label.startswith(label)
    assert found.active == active
    assert [found.label[a:b] for a, b in found.parameters] == (
        ["%m: memref<8xf32>", "%f: f32"] if label == "@scale" else ["%x: i32"]
    )


@pytest.mark.parametrize("line", ["gpu.wait [<|>%t]", "gpu.launch_func @kernels::@scale blocks in (<|>"])
def test_no_signature_where_nothing_is_called(line: str) -> None:
    state, offset = at_cursor(LAUNCH.format(line=line))
    assert signature_at(state.source, offset) is None
