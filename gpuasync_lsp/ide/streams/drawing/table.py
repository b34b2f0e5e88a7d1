"""The rows of a picture under construction, with their groups."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation

from gpuasync_lsp.ide.streams.model import HOST, Does, Group, Place, Row
from gpuasync_lsp.text import Span

_MANY = 3
"""This number of consecutive host ops, or more, is drawn as one row."""

Renumber = Callable[[int], int]
"""Maps the old number of a row to the new one."""


@dataclass(slots=True)
class Table:
    """Rows in text order, the row of each op, and the groups."""

    rows: list[Row] = field(default_factory=list[Row])
    row_of: dict[Operation, int] = field(default_factory=dict[Operation, int])
    groups: list[Group] = field(default_factory=list[Group])

    def add(self, row: Row, op: Operation) -> None:
        """Add the row of an op."""
        self.row_of[op] = len(self.rows)
        self.rows.append(row)

    def add_head(self, text: str, place: Place, depth: int) -> int:
        """Add the head of a group; return its number."""
        self.rows.append(Row(HOST, Does.GROUP, text, "", text, place, depth))
        return len(self.rows) - 1

    def close_group(self, head: int, depth: int, *, loop: bool) -> None:
        """End the group whose head is the row `head` at the last row."""
        self.groups.append(Group(head, len(self.rows) - 1, depth, loop))

    def without_empty_groups(self) -> list[int]:
        """Return the indices of the rows that remain without empty groups."""
        empty = {group.first for group in self.groups if group.first == group.last}
        changed = bool(empty)
        while changed:  # A group that contains only empty groups is empty, too.
            more = {
                g.first
                for g in self.groups
                if g.first not in empty and all(r in empty for r in range(g.first + 1, g.last + 1))
            }
            empty |= more
            changed = bool(more)
        return [row for row in range(len(self.rows)) if row not in empty]

    def merge_host(self, plain: Collection[int]) -> list[int]:
        """Merge each run of consecutive host ops in `plain` into its first row; return the rows that
        remain."""
        kept: list[int] = []
        run: list[int] = []

        def close() -> None:
            if len(run) >= _MANY:
                first, last = self.rows[run[0]], self.rows[run[-1]]
                text = f"{len(run)} host ops, to line {last.place.line + 1}"
                span = Span(first.place.span.start, last.place.span.end)
                place = replace(first.place, span=span)
                sources = "; ".join(self.rows[n].label for n in run[:6])
                self.rows[run[0]] = replace(first, label=text, source=sources, place=place)
                del run[1:]
            kept.extend(run)
            run.clear()

        for number, row in enumerate(self.rows):
            mergeable = row.does is Does.HOST and number in plain
            if not mergeable or (run and self.rows[run[0]].depth != row.depth):
                close()
            if mergeable:
                run.append(number)
            else:
                kept.append(number)
        close()
        return kept

    def keep(self, kept: list[int]) -> Renumber:
        """Remove all rows but `kept`; references to a removed row move to the nearest kept row above it."""

        def new(row: int) -> int:
            return max(bisect_right(kept, row) - 1, 0)

        known = set(kept)
        self.rows = [self.rows[row] for row in kept]
        self.row_of = {op: new(row) for op, row in self.row_of.items()}
        self.groups = [
            replace(g, first=new(g.first), last=new(g.last)) for g in self.groups if g.first in known
        ]
        return new
