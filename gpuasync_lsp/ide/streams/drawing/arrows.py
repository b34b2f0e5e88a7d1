"""Arrows: ordering between lanes through events, and handles forwarded by branches and loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from gpuasync_lsp.analysis import AsyncFunction, Handle
from gpuasync_lsp.analysis.model.function import Action, Step
from gpuasync_lsp.ide.streams.drawing.facts import steps_of
from gpuasync_lsp.ide.streams.drawing.lanes import Lanes
from gpuasync_lsp.ide.streams.drawing.table import Table
from gpuasync_lsp.ide.streams.model import HOST, Arrow


@dataclass(slots=True)
class ArrowWriter:
    """Collects the arrows between lanes, once the rows have their final numbers."""

    function: AsyncFunction
    table: Table
    lanes: Lanes
    arrows: list[Arrow] = field(default_factory=list[Arrow])

    def draw(self) -> tuple[Arrow, ...]:
        """Return the arrows of the function."""
        recorded: dict[int, Operation] = {}
        yielded: dict[Handle, list[Step]] = {}
        for node in self.function.nodes:
            before = self.function.op
            for step in node.steps:
                if step.action is Action.RECORD:
                    recorded[step.event] = before
                    continue
                before = step.op
                if step.action is Action.YIELD and step.other is not None:
                    yielded.setdefault(step.other, []).append(step)
        events = 0  # Numbered in the order of their waits.
        for step in steps_of(self.function):
            if step.action is Action.AWAIT_EVENT and step.other is not None:
                self._arrow(events, recorded[step.event], step.other, step.op, step.handle)
                events += 1
            elif step.action is Action.CONSUME and step.handle is not None:
                self._arrow(-1, step.handle.op, step.handle, step.op, step.other)
            elif step.action is Action.FOLLOW and step.source is not None:
                for dep in dict.fromkeys(step.source.deps):
                    handle = self.function.tokens[dep]
                    owner = dep.owner if isinstance(dep.owner, Operation) else handle.op
                    self._arrow(-1, owner, handle, step.op, step.handle, wanted=True)
        for handle, steps in yielded.items():
            for step in steps:
                if handle.op is not None and handle in self.lanes.numbers:
                    self._arrow(-1, step.op, step.handle, handle.op, handle)
        self._carry()
        return tuple(self.arrows)

    def _carry(self) -> None:
        """Add an arrow from each lane to the lanes that get its handle through a branch or loop."""
        passes = [p for node in self.function.nodes for edge in node.edges for p in edge.passes]
        for target, given in dict.fromkeys(passes):
            if target is given or target not in self.lanes.numbers or given not in self.lanes.numbers:
                continue
            lane, source_lane = self.lanes.numbers[target], self.lanes.numbers[given]
            first = self.lanes.first(lane)
            touched = [n for n in range(first) if self._touches(n, source_lane)]
            if touched:
                self.arrows.append(Arrow(-1, touched[-1], source_lane, first, lane, carries=True))

    def _touches(self, row: int, lane: int) -> bool:
        return self.table.rows[row].lane == lane or lane in self.table.rows[row].waits

    def _arrow(
        self,
        event: int,
        source_op: Operation | None,
        source_handle: Handle | None,
        target_op: Operation,
        target_handle: Handle | None,
        *,
        wanted: bool = False,
    ) -> None:
        if source_handle not in self.lanes.numbers or target_op not in self.table.row_of:
            return
        lane = self.lanes.numbers[source_handle]
        known = None if source_op is None else self.table.row_of.get(source_op)
        row = self.lanes.first(lane) if known is None else known
        target_lane = HOST if target_handle is None else self.lanes.numbers.get(target_handle, HOST)
        self.arrows.append(Arrow(event, row, lane, self.table.row_of[target_op], target_lane, wanted))
