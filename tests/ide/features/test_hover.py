"""Hover on what is of no token: values, types, symbols, words of an op."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.features.hover import Hover, hover
from tests.support.marks import at_cursor

SOURCE = """func.func private @log(%x: i32) -> f32
func.func private @unused()
func.func @f(%m: memref<8x4xf32, strided<[8, 1], offset: ?>>, %x: i32, %n: index) {
  %c = arith.constant 42 : i32
  %t = gpu.wait async
  %d, %u = gpu.alloc async [%t] (%n) : memref<?x4xf32>
  %w = memref.alloc() : memref<1024x1024xf32>
  %s = memref.alloc() : memref<3xi1, 3>
  %r = arith.cmpi slt, %c, %x : i32
  %q = call @log(%c) : (i32) -> f32
  memref.store %q, %w[%n, %n] {nontemporal = true} : memref<1024x1024xf32>
  %e = gpu.dealloc async [%u] %d : memref<?x4xf32>
  memref.dealloc %w : memref<1024x1024xf32>
  gpu.wait [%e]
  return
}
"""


def at(place: str) -> Hover:
    """Return the hover at the `<|>` of a piece of the source."""
    plain = place.replace("<|>", "")
    start = SOURCE.index(plain)
    state, offset = at_cursor(SOURCE[:start] + place + SOURCE[start + len(plain) :])
    found = hover(state, offset)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("%<|>c, %x", ["%c : i32", "arith.constant 42"]),
        (
            "%<|>w[",
            ["4,194,304 bytes (4 MiB)", "strides 1024, 1", "allocated in line 7", "used last in line 11"],
        ),
        ("%<|>w[", ["freed in line 13"]),
        ("%<|>d :", ["16 bytes times", "device memory", "freed in line 12"]),
        ("%<|>s =", ["3 bytes", "shared by the block", "never freed"]),
        ("%<|>m:", ["Strided: the next index of each dimension is 8, 1 elements on", "? elements behind"]),
        ("mem<|>ref<1024x1024xf32>\n  gpu.wait", ["4 MiB"]),
        ("s<|>lt", ["`predicate` of `arith.cmpi`", "`sge`"]),
        ("nont<|>emporal", ["an attribute of `memref.store`"]),
        ("gpu.wait as<|>ync", ["a keyword of `gpu.wait`"]),
        ("call @<|>log", ["@log(%x: i32) -> f32", "Named in line 10."]),
        ("@un<|>used", ["Nothing in this file names it."]),
        ("gpu.al<|>loc", ["https://mlir.llvm.org/docs/Dialects/GPU/"]),
        ("arith.cm<|>pi", ["https://mlir.llvm.org/docs/Dialects/ArithOps/"]),
    ],
)
def test_what_hover_says(place: str, said: list[str]) -> None:
    text = at(place).markdown
    assert [part for part in said if part not in text] == []


def test_hover_marks_the_whole_type() -> None:
    found = at("mem<|>ref<1024x1024xf32>\n  gpu.wait")
    assert found.span.of(SOURCE) == "memref<1024x1024xf32>"


def test_a_type_is_written_as_mlir_opt_does() -> None:
    text = "func.func @f(%a: memref<8xf32, 1>) {\n  memref.dealloc %<|>a : memref<8xf32, 1>\n  return\n}\n"
    found = hover(*at_cursor(text))
    assert found is not None
    assert "%a : memref<8xf32, 1>\n" in found.markdown
