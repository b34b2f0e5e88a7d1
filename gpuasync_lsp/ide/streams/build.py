"""Draws up the picture of a function from its async model and its findings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation, Region

from gpuasync_lsp.analysis import AsyncFunction, AsyncOp, Handle, Kind, Origin
from gpuasync_lsp.analysis.model.function import Action, Buffer, Step
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.rules.unawaited_token import leaks
from gpuasync_lsp.ide.streams.labels import group_label, label, source, token_name
from gpuasync_lsp.ide.streams.model import (
    HOST,
    Arrow,
    Does,
    Fate,
    Group,
    Lane,
    Mark,
    Picture,
    Place,
    Row,
)
from gpuasync_lsp.ide.streams.words import label as handle_name
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.text import Finding, LineIndex, Span

_MANY = 3
"""So many host ops in a row are drawn as one."""

_LOOPS = frozenset({"scf.for", "scf.parallel", "scf.forall", "scf.while", "affine.for", "affine.parallel"})


def build(
    function: AsyncFunction, findings: Iterable[Finding], lines: LineIndex, item_offset: int
) -> Picture:
    """Return the picture of `function`.

    `findings` are those of its item, with places in the item, as `function` has them; `lines` is the whole
    text, in which the item begins at `item_offset`.
    """
    return _Builder(function, lines, item_offset).build(findings)


@dataclass(slots=True)
class _LaneDraft:
    handle: Handle
    first: int
    last: int


@dataclass(slots=True)
class _Builder:
    function: AsyncFunction
    lines: LineIndex
    item_offset: int
    rows: list[Row] = field(default_factory=list[Row])
    row_of: dict[Operation, int] = field(default_factory=dict[Operation, int])
    groups: list[Group] = field(default_factory=list[Group])
    lanes: dict[Handle, int] = field(default_factory=dict[Handle, int])
    drafts: list[_LaneDraft] = field(default_factory=list[_LaneDraft])
    arrows: list[Arrow] = field(default_factory=list[Arrow])
    joins: set[Operation] = field(default_factory=set[Operation])
    host_steps: dict[Operation, Step] = field(default_factory=dict[Operation, Step])
    arrivals: dict[Operation, list[Handle]] = field(default_factory=dict[Operation, list[Handle]])
    shared: set[Buffer] = field(default_factory=set[Buffer])
    """Buffers that device ops touch."""
    spoken_of: list[int] = field(default_factory=list[int])
    """Where findings begin, in the item."""
    waits: dict[Operation, list[Handle]] = field(default_factory=dict[Operation, list[Handle]])
    """What the host waits for at an op, once per operand."""
    leaks: dict[Handle, bool] = field(default_factory=dict[Handle, bool])
    """The streams that are lost, and whether on every path."""
    looped: set[Operation] = field(default_factory=set[Operation])
    """The ops inside loops."""

    def build(self, findings: Iterable[Finding]) -> Picture:
        function = self.function
        here = function.spans.op(function.op)
        mine = [f for f in findings if here.start <= f.span.start < here.end]
        self._look(mine)
        self._region(function.op.regions[0], 0)
        self._drop_empty_groups()
        self._merge_host()
        self._touch()
        self._draw_arrows()
        rest = self._mark(mine)
        host = Lane("host", "", False, None, 0, max(len(self.rows) - 1, 0), Fate.NONE)
        lanes = (host, *(self._lane(draft) for draft in self.drafts))
        return Picture(
            function=function.name,
            llvm=function.profile.version,
            place=self._place(function.spans.name(function.op)),
            lanes=lanes,
            rows=tuple(self.rows),
            arrows=tuple(self.arrows),
            groups=tuple(self.groups),
            marks=tuple(rest),
            sure=function.analysed,
        )

    # What is worth a row.

    def _look(self, findings: Sequence[Finding]) -> None:
        """Note what the steps of the model say of ops, before rows are made."""
        function = self.function
        self.shared = {access.buffer for info in function.ops for access in info.accesses}
        for step in _steps(function):
            if step.action is Action.HOST and step.source is None:
                self.host_steps[step.op] = step
            elif step.action is Action.DEFINE and step.handle is not None and step.op is not function.op:
                self.arrivals.setdefault(step.op, []).append(step.handle)
            elif step.action in (Action.AWAIT_EVENT, Action.CONSUME):
                self.joins.add(step.op)
        for handle in function.handles:  # what an async.await gives is defined by the async.execute before it
            if handle.kind is Kind.OPAQUE and handle.op is not None and handle.op.name == "async.await":
                self.arrivals[handle.op] = [handle]
        for wait in function.waits:
            if wait.blocking:
                self.waits.setdefault(wait.op, []).append(wait.handle)
        for fault in leaks(function):
            self.leaks[fault.handle] = self.leaks.get(fault.handle, False) or fault.certain
        self.spoken_of = sorted({f.span.start for f in findings})

    def _has_finding(self, op: Operation) -> bool:
        span = self.function.spans.op(op) if op in self.function.spans.ops else None
        if span is None:
            return False
        at = bisect_right(self.spoken_of, span.start - 1)
        return at < len(self.spoken_of) and self.spoken_of[at] < span.end

    def _wanted(self, op: Operation) -> bool:
        """Tell whether an op that is none of the gpu dialect's async ops is worth a row."""
        if any(isinstance(v.type, AsyncTokenType) for v in op.operands) and not op.name.endswith(
            (".yield", ".br", ".cond_br", ".condition")
        ):
            return True
        if op in self.arrivals or op.name == "func.return":
            return True
        if op.name == "async.yield":
            return any(isinstance(v.type, AsyncTokenType) for v in op.operands)
        step = self.host_steps.get(op)
        if step is not None:
            if any(access.buffer in self.shared for access in step.accesses):
                return True
            if callee_of(op) is not None and self.function.pending.get(op):
                return True
        return self._has_finding(op)

    # Rows and groups.

    def _region(self, region: Region, depth: int) -> None:
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
                self.groups.append(Group(head, len(self.rows) - 1, depth, False))

    def _head(self, text: str, span: Span | None, depth: int) -> int:
        place = self._place(span or Span(0, 0))
        self.rows.append(Row(HOST, Does.GROUP, text, "", text, place, depth))
        return len(self.rows) - 1

    def _op(self, op: Operation, depth: int) -> None:
        info = self.function.by_op.get(op)
        if info is not None:
            self._add(self._async_row(info, depth), op)
        elif any(region.blocks for region in op.regions):
            spans = self.function.spans
            for number, region in enumerate(op.regions):
                if not region.blocks:
                    continue
                if op.name in _LOOPS:
                    self.looped.update(region.walk())
                head = self._head(group_label(spans, op, number), self._region_start(op, number), depth)
                self._region(region, depth + 1)
                self.groups.append(Group(head, len(self.rows) - 1, depth, op.name in _LOOPS))
            if op in self.arrivals and op.results and op.name != "async.execute":
                self._add(self._host_row(op, depth, f"end of {op.name}"), op)
        elif self._wanted(op):
            self._add(self._host_row(op, depth, label(self.function, op)), op)

    def _region_start(self, op: Operation, number: int) -> Span | None:
        """Return the op's name for its first region; a later one begins at its own brace."""
        spans = self.function.spans
        if op not in spans.ops:
            return None
        name = spans.name(op)
        first = next((inner for inner in op.regions[number].walk() if inner in spans.ops), None)
        if number == 0 or first is None:
            return name
        brace = spans.text.rfind("{", name.end, spans.op(first).start)
        return Span(brace, brace + 1) if brace >= 0 else name

    def _add(self, row: Row, op: Operation) -> None:
        self.row_of[op] = len(self.rows)
        self.rows.append(row)

    def _async_row(self, info: AsyncOp, depth: int) -> Row:
        op = info.op
        handle = info.handle
        lane = HOST if handle is None else self._number(handle)
        waits = tuple(map(self._number, self.waits.get(op, ())))
        does, destroys = Does.WORK, False
        if info.name == "gpu.wait":
            does, destroys = Does.WAIT, bool(waits)
            if info.token is not None:
                does = Does.JOIN if op in self.joins else Does.CREATE
        elif info.name in ("gpu.alloc", "gpu.dealloc"):
            does = Does.MEMORY
        elif info.name == "gpu.launch_func" and info.token is None and info.lowers:
            waits = (lane,)  # mlir-translate makes a stream of its own for it, and waits for that
        return Row(
            lane,
            does,
            label(self.function, op),
            token_name(self.function, info, op),
            source(self.function.spans, op),
            self._op_place(op),
            depth,
            waits,
            destroys,
            "; ".join(dict.fromkeys(r.reason for r in info.rejections)),
            info.erased,
        )

    def _host_row(self, op: Operation, depth: int, text: str) -> Row:
        lane, does = HOST, Does.HOST
        arrived = self.arrivals.get(op, ())
        if op.name == "func.return":
            does = Does.END
        elif op.name == "async.yield":
            does = Does.YIELD
            given = [handle for at, _, handle in self.function.yields if at is op]
            lane = self._number(given[0]) if given else HOST
        elif arrived:
            lane, does = self._number(arrived[0]), Does.EVENT
        return Row(
            lane,
            does,
            text,
            token_name(self.function, None, op),
            source(self.function.spans, op),
            self._op_place(op),
            depth,
        )

    def _number(self, handle: Handle) -> int:
        """Return the lane of a handle, a new one the first time."""
        number = self.lanes.get(handle)
        if number is None:
            number = self.lanes[handle] = len(self.lanes) + 1
            row = len(self.rows)
            self.drafts.append(_LaneDraft(handle, row, row))
        return number

    def _drop_empty_groups(self) -> None:
        """Take out the groups in which nothing happens, and number the rows anew."""
        empty = {group.first for group in self.groups if group.first == group.last}
        changed = bool(empty)
        while changed:  # a group that holds empty groups only is empty as well
            more = {
                g.first
                for g in self.groups
                if g.first not in empty and all(r in empty for r in range(g.first + 1, g.last + 1))
            }
            empty |= more
            changed = bool(more)
        kept = [row for row in range(len(self.rows)) if row not in empty]
        self._keep(kept)

    def _merge_host(self) -> None:
        """Draw a run of plain host ops as one row."""
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

        plain = {n for op, n in self.row_of.items() if not self._has_finding(op) and not _tokens(op)}
        for number, row in enumerate(self.rows):
            mergeable = row.does is Does.HOST and number in plain
            if not mergeable or (run and self.rows[run[0]].depth != row.depth):
                close()
            if mergeable:
                run.append(number)
            else:
                kept.append(number)
        close()
        self._keep(kept)

    def _keep(self, kept: list[int]) -> None:
        """Keep these rows only; what pointed to another now points to the one above it."""
        if len(kept) == len(self.rows):
            return

        def new(row: int) -> int:
            return max(bisect_right(kept, row) - 1, 0)

        known = set(kept)
        self.rows = [self.rows[row] for row in kept]
        self.row_of = {op: new(row) for op, row in self.row_of.items()}
        self.groups = [
            replace(g, first=new(g.first), last=new(g.last)) for g in self.groups if g.first in known
        ]
        for draft in self.drafts:
            draft.first, draft.last = new(draft.first), new(draft.last)

    # Lanes and arrows.

    def _touch(self) -> None:
        """Let each lane reach from the first row that has to do with it to the last."""
        ranges: dict[int, list[int]] = {}
        for number, row in enumerate(self.rows):
            for lane in (row.lane, *row.waits):
                ranges.setdefault(lane, []).append(number)
        for handle, lane in self.lanes.items():
            for op in (
                *handle.escapes,
                *handle.lent,
                *(w.op for w in handle.waits),
                *(j.op for j in handle.joins),
            ):
                if op in self.row_of:
                    ranges.setdefault(lane, []).append(self.row_of[op])
            if handle.kind is Kind.OPAQUE and handle.op is None:
                ranges.setdefault(lane, []).append(self._start_of(handle))
        for lane, draft in enumerate(self.drafts, 1):
            touched = ranges.get(lane, [draft.first])
            draft.first, draft.last = min(touched), max(touched)

    def _start_of(self, handle: Handle) -> int:
        """Return the row in which a block argument has its value."""
        block = self.function.block_of(handle.value)
        rows = [self.row_of[op] for op in block.ops if op in self.row_of] if block is not None else []
        return 0 if block is self.function.op.regions[0].blocks[0] else min(rows, default=0)

    def _draw_arrows(self) -> None:
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
        for step in _steps(self.function):
            if step.action is Action.AWAIT_EVENT and step.other is not None:
                self._arrow(step.event, recorded[step.event], step.other, step.op, step.handle)
            elif step.action is Action.CONSUME and step.handle is not None:
                self._arrow(-1, step.handle.op, step.handle, step.op, step.other)
            elif step.action is Action.FOLLOW and step.source is not None:
                for dep in dict.fromkeys(step.source.deps):
                    handle = self.function.tokens[dep]
                    owner = dep.owner if isinstance(dep.owner, Operation) else handle.op
                    self._arrow(-1, owner, handle, step.op, step.handle, wanted=True)
        for handle, steps in yielded.items():
            for step in steps:
                if handle.op is not None and handle in self.lanes:
                    self._arrow(-1, step.op, step.handle, handle.op, handle)

        self._carry()

    def _carry(self) -> None:
        """Lead from each lane to those that get its handle on a branch or round a loop."""
        passes = [p for node in self.function.nodes for edge in node.edges for p in edge.passes]
        for target, given in dict.fromkeys(passes):
            if target is given or target not in self.lanes or given not in self.lanes:
                continue
            lane, source_lane = self.lanes[target], self.lanes[given]
            first = self.drafts[lane - 1].first
            touched = [n for n in range(first) if self._touches(n, source_lane)]
            if touched:
                self.arrows.append(Arrow(-1, touched[-1], source_lane, first, lane, carries=True))

    def _touches(self, row: int, lane: int) -> bool:
        return self.rows[row].lane == lane or lane in self.rows[row].waits

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
        if source_handle not in self.lanes or target_op not in self.row_of:
            return
        lane = self.lanes[source_handle]
        known = None if source_op is None else self.row_of.get(source_op)
        row = self.drafts[lane - 1].first if known is None else known
        target_lane = HOST if target_handle is None else self.lanes.get(target_handle, HOST)
        self.arrows.append(Arrow(event, row, lane, self.row_of[target_op], target_lane, wanted))

    def _lane(self, draft: _LaneDraft) -> Lane:
        handle = draft.handle
        span = self.function.spans.result(handle.value)
        return Lane(
            name=self._name(handle),
            token=self.function.span_name(handle.value),
            is_stream=handle.kind is Kind.STREAM,
            place=None if span is None else self._place(span),
            first=draft.first,
            last=draft.last,
            fate=self._fate(handle),
            detail=self._detail(handle),
        )

    def _fate(self, handle: Handle) -> Fate:
        if handle in self.leaks:
            return Fate.LEAKED if self.leaks[handle] else Fate.LEAKED_SOMETIMES
        if handle.escapes:
            return Fate.ESCAPES
        return Fate.DESTROYED if handle.waits else Fate.NONE

    def _name(self, handle: Handle) -> str:
        """Return what the lane stands for; for a handle from elsewhere, what it really is."""
        if handle.kind is not Kind.OPAQUE:
            return handle_name(self.function, handle)
        known = [handle_name(self.function, m) for m in handle.members if isinstance(m, Handle)]
        if known and len(known) == len(handle.members):
            return f"{' or '.join(sorted(known))} as event"
        return "from outside" if handle.only is Origin.UNKNOWN else handle_name(self.function, handle)

    def _detail(self, handle: Handle) -> str:
        if handle.kind is Kind.LEFT:
            return "its ops do not lower"
        if handle.kind is Kind.OPAQUE and handle.only is Origin.UNKNOWN:
            uses = ["a stream to its ops"] * bool(handle.enqueues) + ["an event to gpu.wait"] * bool(
                handle.waits
            )
            return ", ".join(uses)
        return "one each time round the loop" if handle.op in self.looped and handle.is_stream else ""

    # Findings.

    def _mark(self, findings: Sequence[Finding]) -> list[Mark]:
        """Put each finding at its row; return those that belong to none."""
        spans = self.function.spans
        placed = sorted(
            (spans.op(op).start, spans.op(op).end, row) for op, row in self.row_of.items() if op in spans.ops
        )
        starts = [start for start, _, _ in placed]

        def row_at(offset: int) -> int | None:
            at = bisect_right(starts, offset) - 1
            return placed[at][2] if at >= 0 and offset < placed[at][1] else None

        marks: dict[int, list[Mark]] = {}
        rest: list[Mark] = []
        for finding in findings:
            row = row_at(finding.span.start)
            others = (row_at(r.span.start) for r in finding.related if not r.within)
            mark = Mark(
                finding.code,
                finding.name,
                finding.severity,
                finding.message,
                self._place(finding.span),
                tuple(sorted({o for o in others if o is not None and o != row})),
            )
            if row is None:
                rest.append(mark)
            else:
                marks.setdefault(row, []).append(mark)
        for row, found in marks.items():
            self.rows[row] = replace(self.rows[row], marks=tuple(found))
        return rest

    def _op_place(self, op: Operation) -> Place:
        spans = self.function.spans
        return self._place(spans.op(op) if op in spans.ops else Span(0, 0))

    def _place(self, span: Span) -> Place:
        absolute = span.shift(self.item_offset)
        return Place(absolute, *self.lines.position(absolute.start))


def _steps(function: AsyncFunction) -> Iterator[Step]:
    for node in function.nodes:
        yield from node.steps


def _tokens(op: Operation) -> bool:
    return any(isinstance(v.type, AsyncTokenType) for v in (*op.operands, *op.results))
