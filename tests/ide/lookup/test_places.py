"""A lookup at a position agrees with a search through the whole file."""

from __future__ import annotations

from gpuasync_lsp.ide.lookup.mentions import mention_at, mentions, op_at
from gpuasync_lsp.ide.lookup.symbols import references, symbol_at
from gpuasync_lsp.syntax.source import parse_source
from tests.support.tools import ROOT

TEXTS = [path.read_text() for path in sorted((ROOT / "tests/fixtures/rules").glob("*.mlir"))[::4]]


def test_places_of_many_texts() -> None:
    found = 0
    for text in TEXTS:
        source = parse_source(text)
        named = [reference for chunk in source.chunks for reference in references(chunk)]
        for offset in range(0, len(source.text), 7):
            symbol = symbol_at(source, offset)
            assert (symbol is not None) == any(each.span.contains(offset) for each in named)
            placed = source.item_at(offset)
            if placed is None:
                continue
            item, at = placed.item, offset - placed.offset
            around = [op for op in item.spans.ops if item.spans.op(op).contains(at)]
            op = op_at(item, at)
            assert (op is not None) == bool(around)
            # The innermost op: no other op around this offset begins later.
            assert op is None or item.spans.op(op).start == max(item.spans.op(each).start for each in around)
            values = [each.value for each in mentions(item) if each.span.contains(at)]
            mention = mention_at(item, at)
            assert (mention is not None) == bool(values)
            assert mention is None or mention.value in values or mention.span.contains(at)
            found += mention is not None
    assert found > 300
