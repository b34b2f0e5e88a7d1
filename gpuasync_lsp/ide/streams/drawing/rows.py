"""Builds the rows of a diagram in text order, one for each op that is shown, and a group per region."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, Region

from gpuasync_lsp.analysis import AsyncFunction, AsyncOp, Handle
from gpuasync_lsp.ide.streams.drawing.facts import Facts
from gpuasync_lsp.ide.streams.drawing.lanes import Lanes
from gpuasync_lsp.ide.streams.drawing.places import Places
from gpuasync_lsp.ide.streams.drawing.table import Table
from gpuasync_lsp.ide.streams.labels import group_label, label, source, token_name
from gpuasync_lsp.ide.streams.model import HOST, Does, Row
from gpuasync_lsp.text import Span

_LOOPS = frozenset({"scf.for", "scf.parallel", "scf.forall", "scf.while", "affine.for", "affine.parallel"})


@dataclass(slots=True)
class RowWriter:
    """Adds the rows of regions to a table, and numbers the lanes that they use."""

    function: AsyncFunction
    facts: Facts
    places: Places
    table: Table
    lanes: Lanes

    def given(self) -> None:
        """Add a row for each stream and event of the caller."""
        for handle in self.function.given:
            span = self.function.spans.result(handle.value)
            place = self.places.of_span(span or self.function.spans.name(self.function.op))
            name = self.function.span_name(handle.value)
            text = f"caller's {handle.given_as}"
            self.table.rows.append(Row(self._number(handle), Does.GIVEN, text, name, name, place))

    def region(self, region: Region, depth: int) -> None:
        """Add the rows of a region, nested in `depth` groups."""
        several = len(region.blocks) > 1
        for number, block in enumerate(region.blocks):
            head = None
            if several and number:
                span = self.function.spans.block_label(block)
                name = "a block" if span is None else span.of(self.function.spans.text).split("(")[0]
                head = self._head(name.rstrip(":"), span, depth)
            inner = depth + (head is not None)
            for op in block.ops:
                self._op(op, inner)
            if head is not None:
                self.table.close_group(head, depth, loop=False)

    def _head(self, text: str, span: Span | None, depth: int) -> int:
        return self.table.add_head(text, self.places.of_span(span or Span(0, 0)), depth)

    def _op(self, op: Operation, depth: int) -> None:
        info = self.function.by_op.get(op)
        if info is not None:
            self.table.add(self._async_row(info, depth), op)
        elif any(region.blocks for region in op.regions):
            spans = self.function.spans
            for number, region in enumerate(op.regions):
                if not region.blocks:
                    continue
                if op.name in _LOOPS:
                    self.lanes.looped.update(region.walk())
                head = self._head(group_label(spans, op, number), self._region_start(op, number), depth)
                self.region(region, depth + 1)
                self.table.close_group(head, depth, loop=op.name in _LOOPS)
            if op in self.facts.arrivals and op.results and op.name != "async.execute":
                self.table.add(self._host_row(op, depth, f"end of {op.name}"), op)
        elif self.facts.is_worth_a_row(op):
            self.table.add(self._host_row(op, depth, label(self.function, op)), op)

    def _region_start(self, op: Operation, number: int) -> Span | None:
        """Return the op's name for its first region, or the opening brace for a later region."""
        spans = self.function.spans
        if op not in spans.ops:
            return None
        name = spans.name(op)
        first = next((inner for inner in op.regions[number].walk() if inner in spans.ops), None)
        if number == 0 or first is None:
            return name
        brace = spans.text.rfind("{", name.end, spans.op(first).start)
        return Span(brace, brace + 1) if brace >= 0 else name

    def _async_row(self, info: AsyncOp, depth: int) -> Row:
        op = info.op
        handle = info.handle
        lane = HOST if handle is None else self._number(handle)
        waits = tuple(map(self._number, self.facts.waits.get(op, ())))
        does, destroys = Does.WORK, False
        if info.name == "gpu.wait":
            does, destroys = Does.WAIT, bool(waits)
            if info.token is not None:
                does = Does.JOIN if op in self.facts.joins else Does.CREATE
        elif info.name in ("gpu.alloc", "gpu.dealloc"):
            does = Does.MEMORY
        elif info.name == "gpu.launch_func" and info.token is None and info.lowers and handle is None:
            waits = (lane,)  # mlir-translate creates a stream for it, and waits.
        return Row(
            lane,
            does,
            label(self.function, op),
            token_name(self.function, info, op),
            source(self.function.spans, op),
            self.places.of_op(op),
            depth,
            waits,
            destroys,
            "; ".join(dict.fromkeys(r.reason for r in info.rejections)),
            info.erased,
        )

    def _host_row(self, op: Operation, depth: int, text: str) -> Row:
        lane, does = HOST, Does.HOST
        arrived = self.facts.arrivals.get(op, ())
        if op.name == "func.return":
            does = Does.END
        elif op.name == "async.yield":
            does = Does.YIELD
            given = [handle for at, _, handle in self.function.yields if at is op]
            lane = self._number(given[0]) if given else HOST
        elif arrived:
            lane, does = self._number(arrived[0]), Does.EVENT
        waits = tuple(map(self._number, self.facts.waits.get(op, ())))
        if waits:
            does = Does.WAIT
        return Row(
            lane,
            does,
            text,
            token_name(self.function, None, op),
            source(self.function.spans, op),
            self.places.of_op(op),
            depth,
            waits,
        )

    def _number(self, handle: Handle) -> int:
        return self.lanes.number(handle, len(self.table.rows))
