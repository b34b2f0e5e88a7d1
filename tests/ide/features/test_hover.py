"""Hover on anything other than tokens: values, types, symbols, keywords of an op."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.features.hover import Hover, hover
from tests.support.marks import at_cursor
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

SOURCE = TEXTS["SOURCE"]


def at(place: str) -> Hover:
    """Return the hover at the `<|>` in a fragment of the source."""
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
            ["4,194,304 bytes (4 MiB)", "strides 1024, 1", "allocated in line 7", "last used in line 11"],
        ),
        ("%<|>w[", ["freed in line 13"]),
        ("%<|>d :", ["a multiple of 16 bytes", "device memory", "freed in line 12"]),
        ("%<|>s =", ["3 bytes", "shared by the block", "never freed"]),
        ("%<|>m:", ["Strided: strides of 8, 1 elements", "? elements after"]),
        ("mem<|>ref<1024x1024xf32>\n  gpu.wait", ["4 MiB"]),
        ("s<|>lt", ["`predicate` of `arith.cmpi`", "`sge`"]),
        ("nont<|>emporal", ["an attribute of `memref.store`"]),
        ("gpu.wait as<|>ync", ["a keyword of `gpu.wait`"]),
        ("call @<|>log", ["@log(%x: i32) -> f32", "Used in line 10."]),
        ("@un<|>used", ["It has no uses in this file."]),
        ("gpu.al<|>loc", ["https://mlir.llvm.org/docs/Dialects/GPU/"]),
        ("arith.cm<|>pi", ["https://mlir.llvm.org/docs/Dialects/ArithOps/"]),
    ],
)
def test_what_hover_says(place: str, said: list[str]) -> None:
    text = at(place).markdown
    assert [part for part in said if part not in text] == []


def test_what_holds_of_the_op_comes_before_what_holds_of_all() -> None:
    here, documentation = at("gpu.al<|>loc").markdown.split("\n\n---\n\n")
    assert "mgpuMemAlloc" in here
    assert documentation.startswith("Allocates device memory")


def test_hover_marks_the_whole_type() -> None:
    found = at("mem<|>ref<1024x1024xf32>\n  gpu.wait")
    assert found.span.of(SOURCE) == "memref<1024x1024xf32>"


def test_a_type_is_written_as_mlir_opt_does() -> None:
    text = "func.func @f(%a: memref<8xf32, 1>) {\n  memref.dealloc %<|>a : memref<8xf32, 1>\n  return\n}\n"
    found = hover(*at_cursor(text))
    assert found is not None
    assert "%a : memref<8xf32, 1>\n" in found.markdown


WRITTEN = TEXTS["WRITTEN"]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("#ma<|>p =", ["2 dimensions and 1 symbol to 2 results", "Defined in line 1, used in lines 7, 10"]),
        ("#s<|>wap =", ["A permutation of 2 dimensions", "without uses"]),
        ("#s<|>et =", ["1 constraint on 1 dimension"]),
        ("!<|>t,", ["!t = memref<8x4xf32", "128 bytes", "shared by the threads of a block"]),
        ("b = !<|>t", ["Defined in line 3, used in lines 6, 10"]),
        ("#gpu.add<|>ress", ["shared by the threads of a block"]),
        ("vec<|>tor<[4]", ["4 × vscale × 8 elements", "64 bytes times vscale"]),  # noqa: RUF001
        ("8xb<|>f16", ["vector<[4]x8xbf16>"]),
        ("tens<|>or<?", ["a multiple of 32 bytes"]),
        ("i<|>1,", ["1 bit, 1 byte"]),
        ("mem<|>ref<4xf32, 3", ["Memory space 3: shared by the block"]),
        ("memref<*<|>xf32, 1", ["Of any rank", "Memory space 1: global"]),
        ("!llvm.p<|>tr", ["An address. Memory space 3"]),
        ("#ma<|>p>, %i", ["#map = affine_map"]),
        ("!gpu.async.tok<|>en", ["to a stream or to an event"]),
        ("tensor<*xf8<|>E4", ["Of any rank"]),
        ("complex<f<|>32", ["IEEE single precision"]),
        ("com<|>plex", ["8 bytes"]),
        ("3xf3<|>2>, %n", ["24 bytes"]),
        ("ui<|>16", ["An unsigned integer. 16 bits"]),
        ("vector<4<|>xf32", ["16 bytes"]),
        ("affine_m<|>ap<(d0, d1) ->", ["A permutation"]),
    ],
)
def test_types_and_aliases_wherever_they_are_written(place: str, said: list[str]) -> None:
    plain = place.replace("<|>", "")
    start = WRITTEN.index(plain)
    state, offset = at_cursor(WRITTEN[:start] + place + WRITTEN[start + len(plain) :])
    found = hover(state, offset)
    assert found is not None
    for text in said:
        assert text in found.markdown, found.markdown


DISCARDABLE = TEXTS["DISCARDABLE"]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("gpu.con<|>tainer_module", "rejects each gpu.launch_func"),
        ("llvm.target<|>_triple", "compiled for"),
        ("llvm.no<|>alias", "in no other way"),
        ("gpu.known<|>_block_size", "always launched"),
        ('"nvvm.ker<|>nel', "`.entry` in PTX"),
        ("rocdl.not<|>hing", None),
    ],
)
def test_discardable_attributes(place: str, said: str | None) -> None:
    found = hover(*at_cursor(DISCARDABLE.replace(place.replace("<|>", ""), place)))
    assert (found is None) == (said is None)
    assert said is None or (found is not None and said in found.markdown)


@pytest.mark.parametrize("text", ["<" * 50_000, "memref<" * 9_000, "#a" * 9_000, "!t<" * 9_000 + "\n"])
def test_types_without_end(text: str) -> None:
    for place in (0, len(text) // 2, len(text)):
        state, offset = at_cursor(text[:place] + "<|>" + text[place:])
        found = hover(state, offset)
        assert found is None or found.markdown == "**`memref`**"


@pytest.mark.parametrize(
    ("token", "said"),
    [("a", "passed by the caller"), ("b", "returned by `%b = call @g()"), ("x", "passed by `%e = scf.for")],
)
def test_whence_a_token_comes(token: str, said: str) -> None:
    source = """\
func.func private @g() -> !gpu.async.token
func.func @f(%a: !gpu.async.token, %n: index) {
  %b = call @g() : () -> !gpu.async.token
  %e = scf.for %i = %n to %n step %n iter_args(%x = %a) -> !gpu.async.token {
    gpu.wait [%x]
    scf.yield %b : !gpu.async.token
  }
  gpu.wait [%e]
  return
}
"""
    state, offset = at_cursor(source.replace(f"%{token}", f"%<|>{token}", 1))
    found = hover(state, offset)
    assert found is not None
    assert said in found.markdown
