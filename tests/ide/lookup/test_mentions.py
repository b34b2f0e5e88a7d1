"""A lookup of one mention agrees with reading all mentions, in every fixture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.ide.lookup.mentions import Mention, mention_at, mentions, mentions_of, op_at
from gpuasync_lsp.syntax.source import Item, parse_source
from tests.support.tools import ROOT

FILES = sorted((ROOT / "tests" / "fixtures").glob("*/*.mlir"))


def items(path: Path) -> Iterator[Item]:
    yield from (placed.item for placed in parse_source(path.read_text()).items)


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_each_mention_is_found_at_its_place(path: Path) -> None:
    for item in items(path):
        everything = mentions(item)
        starts = {mention.span.start for mention in everything}
        at: dict[int, Mention] = {}
        for mention in everything:
            at.setdefault(mention.span.start, mention)  # The first of results that share a location.
        for start, mention in at.items():
            assert mention_at(item, start) == mention
            if mention.span.end not in starts:
                assert mention_at(item, mention.span.end) == mention
        for value in {mention.value for mention in everything}:
            assert mentions_of(item, value) == [m for m in everything if m.value is value]
        for op, places in item.spans.ops.items():
            if places.name.start < places.name.end:  # An implicit terminator has no location.
                assert op_at(item, places.name.start) is op


def test_between_mentions_there_is_none() -> None:
    (item,) = (placed.item for placed in parse_source("func.func @f(%a: i32) {\n  return\n}\n").items)
    assert mention_at(item, item.text.index("i32") + 1) is None
    assert mention_at(item, item.text.index("return")) is None
