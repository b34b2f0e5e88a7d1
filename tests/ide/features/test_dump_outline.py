"""The outline of an IR dump."""

from __future__ import annotations

from gpuasync_lsp.ide.features.dump_outline import outline_by_pass
from gpuasync_lsp.ide.features.outline import SymbolSort, flat, outline
from gpuasync_lsp.syntax import parse_source
from tests.support.tools import ROOT

DUMP = (ROOT / "examples" / "dumps" / "two_streams.txt").read_text()


def test_a_dump_goes_by_pass() -> None:
    found = outline_by_pass(parse_source(DUMP))
    assert [(each.name, each.detail) for each in found][:4] == [
        ("canonicalize", "before builtin.module"),
        ("canonicalize", "builtin.module"),
        ("gpu-async-region", "before func.func @upload"),
        ("gpu-async-region", "func.func @upload"),
    ]
    assert {each.sort for each in found} == {SymbolSort.PASS}
    assert [child.name for child in found[3].children] == ["@upload"]
    for each in flat(found):
        assert each.span.start <= each.name_span.start <= each.name_span.end <= each.span.end
        for child in each.children:
            assert each.span.start <= child.span.start <= child.span.end <= each.span.end
    symbols = [each for each in flat(found) if each.sort is not SymbolSort.PASS]
    assert symbols == flat(outline(parse_source(DUMP)))


def test_input_and_what_stands_between_sections() -> None:
    late = "func.func @late() {\n  return\n}\n"
    text = f"module {{\n}}\n// -----// IR Dump After A (a) //----- //\nmodule {{\n}}\n\n{late}"
    assert [each.name for each in outline_by_pass(parse_source(text))] == ["input", "a", "@late"]


def test_another_text_has_the_outline_that_it_had() -> None:
    source = parse_source("func.func @f() {\n  return\n}\n")
    assert outline_by_pass(source) == outline(source)
