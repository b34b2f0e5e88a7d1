"""Symbols collected item by item equal those collected from the whole text."""

from __future__ import annotations

import pytest

from benchmarks.generate import module
from gpuasync_lsp.ide.lookup import pieces, symbols
from gpuasync_lsp.ide.lookup.symbols import definitions, references
from gpuasync_lsp.syntax.source import SourceFile, parse_source
from tests.ide.document.test_incremental import CALLS, TEXTS

NESTED = """\
gpu.module @outer {
  func.func private @f(
    i32)
  gpu.func @k() kernel {
    "t.use"() {a = [@outer::@k, @"b c"::
    @d]} : () -> ()
    // @no
    gpu.return
  }
}
func.func @g() {
  func.call @f() : () -> ()
  memref.global "private" @late : memref<2xf32>
  transform.named_sequence @seq() {
  }
  func.call @late() : () -> ()
  "func.func"() <{sym_name = "h", function_type = () -> ()}> ({
    func.call @g() : () -> ()
  }) : () -> ()
  return
}
}
func.call @behind() : () -> ()
"""


def found(source: SourceFile) -> object:
    return [([*definitions(chunk)], [*references(chunk)]) for chunk in source.chunks]


@pytest.mark.parametrize("one_in", [1, 2, 5])
def test_they_are_the_same(monkeypatch: pytest.MonkeyPatch, one_in: int) -> None:
    read = 0
    for text in (NESTED, CALLS, module(100, 100), *TEXTS):
        source = parse_source(text)
        whole = found(source)
        for chunk in source.chunks:
            for placed in (*chunk.headers, *chunk.items):
                placed.item.memo.clear()
        with monkeypatch.context() as small:
            small.setattr(pieces, "_SHORT", 0)
            small.setattr(pieces, "_ONE_IN", one_in)
            assert found(source) == whole, text
            read += sum(len(pieces.pieces(placed.item)) > 1 for placed in source.items)
    assert read > 50


def test_of_an_edited_function_the_pieces_around_are_not_read_again() -> None:
    text = module(2_000, 2_000)
    known = symbols._mentions  # pyright: ignore[reportPrivateUsage]
    found(parse_source(text))
    before = known.cache_info().misses
    found(parse_source(text.replace("gpu.memset async [", "gpu.memset  async [", 1)))
    assert known.cache_info().misses - before < 4
