"""The lanes of a diagram: each handle's name, its first and last row, and its fate."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from gpuasync_lsp.analysis import Handle, Kind, Origin
from gpuasync_lsp.ide.streams.drawing.facts import Facts
from gpuasync_lsp.ide.streams.drawing.places import Places
from gpuasync_lsp.ide.streams.drawing.table import Renumber, Table
from gpuasync_lsp.ide.streams.model import Fate, Lane
from gpuasync_lsp.ide.streams.words import label as handle_name
from gpuasync_lsp.ide.streams.words import what_is_done


@dataclass(slots=True)
class _Draft:
    handle: Handle
    first: int
    last: int


@dataclass(slots=True)
class Lanes:
    """The lanes of a diagram: one per handle, numbered from 1 in order of appearance."""

    facts: Facts
    numbers: dict[Handle, int] = field(default_factory=dict[Handle, int])
    looped: set[Operation] = field(default_factory=set[Operation])
    """The ops inside loops."""
    _drafts: list[_Draft] = field(default_factory=list[_Draft])

    def number(self, handle: Handle, row: int) -> int:
        """Return the lane of a handle; create one that begins at `row` if there is none."""
        number = self.numbers.get(handle)
        if number is None:
            number = self.numbers[handle] = len(self.numbers) + 1
            self._drafts.append(_Draft(handle, row, row))
        return number

    def first(self, lane: int) -> int:
        """Return the first row of a lane."""
        return self._drafts[lane - 1].first

    def renumber(self, new: Renumber) -> None:
        """Replace the numbers of each lane's first and last row with their new numbers."""
        for draft in self._drafts:
            draft.first, draft.last = new(draft.first), new(draft.last)

    def reach(self, table: Table) -> None:
        """Compute the first and last row of each lane, from all rows that use it."""
        ranges: dict[int, list[int]] = {}
        for number, row in enumerate(table.rows):
            for lane in (row.lane, *row.waits):
                ranges.setdefault(lane, []).append(number)
        for handle, lane in self.numbers.items():
            for op in (
                *handle.escapes,
                *handle.lent,
                *(w.op for w in handle.waits),
                *(j.op for j in handle.joins),
            ):
                if op in table.row_of:
                    ranges.setdefault(lane, []).append(table.row_of[op])
            if handle.kind is Kind.OPAQUE and handle.op is None and not handle.is_given:
                ranges.setdefault(lane, []).append(self._start_of(handle, table))
        for lane, draft in enumerate(self._drafts, 1):
            touched = ranges.get(lane, [draft.first])
            draft.first, draft.last = min(touched), max(touched)

    def _start_of(self, handle: Handle, table: Table) -> int:
        """Return the first row of the block whose argument is `handle`."""
        block = self.facts.function.block_of(handle.value)
        rows = [table.row_of[op] for op in block.ops if op in table.row_of] if block is not None else []
        return min(rows, default=0)

    def drawn(self, places: Places) -> tuple[Lane, ...]:
        """Return the lanes in order of their numbers."""
        return tuple(self._lane(draft, places) for draft in self._drafts)

    def _lane(self, draft: _Draft, places: Places) -> Lane:
        handle = draft.handle
        span = self.facts.function.spans.result(handle.value)
        return Lane(
            name=self._name(handle),
            token=self.facts.function.span_name(handle.value),
            is_stream=handle.kind is Kind.STREAM or (handle.kind is Kind.OBJECT and handle.op is not None),
            place=None if span is None else places.of_span(span),
            first=draft.first,
            last=draft.last,
            fate=self._fate(handle),
            detail=self._detail(handle),
            given=handle.given_as if handle.is_given else "",
        )

    def _fate(self, handle: Handle) -> Fate:
        if handle in self.facts.leaks:
            return Fate.LEAKED if self.facts.leaks[handle] else Fate.LEAKED_SOMETIMES
        if handle.escapes and not handle.is_given:
            return Fate.ESCAPES
        return Fate.DESTROYED if handle.waits else Fate.NONE

    def _name(self, handle: Handle) -> str:
        """Return the lane's name, with the actual streams if gpu-to-llvm treats the handle as an event."""
        if handle.kind is not Kind.OPAQUE or handle.is_given:
            return handle_name(self.facts.function, handle)
        known = [handle_name(self.facts.function, m) for m in handle.members if isinstance(m, Handle)]
        if known and len(known) == len(handle.members):
            return f"{' or '.join(sorted(known))} as event"
        return handle_name(self.facts.function, handle)

    def _detail(self, handle: Handle) -> str:
        if handle.kind is Kind.LEFT:
            return "its ops do not lower"
        if handle.is_given:
            return ", ".join(what_is_done(self.facts.function, handle))
        if handle.kind is Kind.OPAQUE and handle.only is Origin.UNKNOWN:
            uses = ["a stream to its ops"] * bool(handle.enqueues) + ["an event to gpu.wait"] * bool(
                handle.waits
            )
            return ", ".join(uses)
        return "one per iteration" if handle.op in self.looped and handle.is_stream else ""
