"""Builds the diagram of a function from its async model and its findings."""

from __future__ import annotations

from collections.abc import Iterable

from gpuasync_lsp.analysis import AsyncFunction
from gpuasync_lsp.ide.streams.drawing.arrows import ArrowWriter
from gpuasync_lsp.ide.streams.drawing.facts import Facts, facts_of, has_tokens
from gpuasync_lsp.ide.streams.drawing.lanes import Lanes
from gpuasync_lsp.ide.streams.drawing.marks import mark
from gpuasync_lsp.ide.streams.drawing.places import Places
from gpuasync_lsp.ide.streams.drawing.rows import RowWriter
from gpuasync_lsp.ide.streams.drawing.table import Table
from gpuasync_lsp.ide.streams.model import Fate, Lane, Picture
from gpuasync_lsp.text import Finding, LineIndex


def build(
    function: AsyncFunction, findings: Iterable[Finding], lines: LineIndex, item_offset: int
) -> Picture:
    """Return the diagram of `function`.

    `findings` are the findings of the function's item; all their spans, and those of `function`, are relative
    to the item. `lines` is the whole text, in which the item begins at `item_offset`.
    """
    here = function.spans.op(function.op)
    mine = [f for f in findings if here.start <= f.span.start < here.end]
    facts, table = facts_of(function, mine), Table()
    lanes, places = Lanes(facts), Places(function, lines, item_offset)
    rows = RowWriter(function, facts, places, table, lanes)
    rows.given()
    rows.region(function.op.regions[0], 0)
    lanes.renumber(table.keep(table.without_empty_groups()))
    lanes.renumber(table.keep(table.merge_host(_plain(facts, table))))
    lanes.reach(table)
    arrows = ArrowWriter(function, table, lanes).draw()
    rest = mark(mine, table, places)
    host = Lane("host", "", False, None, 0, max(len(table.rows) - 1, 0), Fate.NONE)
    return Picture(
        function=function.name,
        llvm=function.profile.version,
        place=places.of_span(function.spans.name(function.op)),
        lanes=(host, *lanes.drawn(places)),
        rows=tuple(table.rows),
        arrows=arrows,
        groups=tuple(table.groups),
        marks=rest,
        sure=function.analyzed,
    )


def _plain(facts: Facts, table: Table) -> set[int]:
    """Return the indices of the rows of ops that have neither tokens nor findings."""
    return {row for op, row in table.row_of.items() if not facts.has_finding(op) and not has_tokens(op)}
