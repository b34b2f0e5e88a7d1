"""Runs the graph of a function abstractly: which handle is destroyed where, which work is ordered before
what.

Ordering is kept as vector clocks turned round: per stream, event and host, the mask of device accesses that
may have been started and are *not* ordered before what comes next there. Nothing pending is 0, and paths join
by union, so that a fact holds on some path exactly if its bit is set. The same goes for handles: bit 0 says
that it may be alive, bit n+1 that wait n may have destroyed it.
"""

from __future__ import annotations

from collections import deque

from xdsl.ir import Operation

from gpuasync_lsp.analysis.memory import disjoint
from gpuasync_lsp.analysis.model import (
    Access,
    Action,
    AsyncFunction,
    Buffer,
    Edge,
    Fault,
    Handle,
    HandleFault,
    Kind,
    Mode,
    Node,
    Origin,
    Race,
    Step,
)

_LIVE = 1


class _State:
    """Facts at one point; everything is a may-fact and joins by union."""

    __slots__ = ("freed", "host", "life", "pending", "seen", "written")

    def __init__(self, handles: int, events: int, buffers: int) -> None:
        self.life = [0] * (handles + events)
        self.pending = [0] * (handles + events)
        self.host = 0
        """Device accesses that may still run, as the host knows."""
        self.seen = 0
        """Device accesses that may have been started."""
        self.written = 0
        """Buffers that may have been written."""
        self.freed = [0] * buffers

    def copy(self) -> _State:
        twin = _State.__new__(_State)
        twin.life, twin.pending, twin.freed = self.life.copy(), self.pending.copy(), self.freed.copy()
        twin.host, twin.seen, twin.written = self.host, self.seen, self.written
        return twin

    def join(self, other: _State) -> bool:
        """Add the facts of `other`; tell whether anything is new."""
        changed = False
        for mine, theirs in (
            (self.life, other.life),
            (self.pending, other.pending),
            (self.freed, other.freed),
        ):
            for index, mask in enumerate(theirs):
                if mask & ~mine[index]:
                    mine[index] |= mask
                    changed = True
        if (other.host & ~self.host) or (other.seen & ~self.seen) or (other.written & ~self.written):
            changed = True
        self.host |= other.host
        self.seen |= other.seen
        self.written |= other.written
        return changed


def run(function: AsyncFunction) -> None:
    """Fill in the faults, races and pending work of `function`."""
    if function.nodes:
        _Flow(function).run()


class _Flow:
    def __init__(self, function: AsyncFunction) -> None:
        self.function = function
        self.handles = len(function.handles)
        self.report = False
        self.found: set[object] = set()
        self.conflicts: list[int] = []
        """Per device access: the accesses that it conflicts with, order left aside."""
        self.other_names = self._other_names()
        """Per stream: the opaque handles that may be the same."""
        for node in function.nodes:
            for step in node.steps:
                for access in step.accesses:
                    if not access.host and access.mode is not Mode.FREE and access.bit < 0:
                        access.bit = len(function.accesses)
                        function.accesses.append(access)
        self.by_buffer: dict[Buffer, list[Access]] = {}
        for access in function.accesses:
            self.by_buffer.setdefault(access.buffer, []).append(access)

    def _other_names(self) -> dict[Handle, list[Handle]]:
        """Leave out streams made anew in a loop: another name may be for the stream of an earlier round."""
        found: dict[Handle, list[Handle]] = {}
        cycles = _nodes_in_cycles(self.function.nodes)
        for handle in self.function.handles:
            for member in handle.members if handle.kind is Kind.OPAQUE else ():
                created = member.op if isinstance(member, Handle) else None
                if (
                    isinstance(member, Handle)
                    and created
                    and self.function.node_of.get(created) not in cycles
                ):
                    found.setdefault(member, []).append(handle)
        return found

    def run(self) -> None:
        nodes = self.function.nodes
        start = _State(self.handles, self.function.events, len(self.function.buffers))
        entry: dict[Node, _State] = {nodes[0]: start}
        work = deque([nodes[0]])
        queued = {nodes[0]}
        while work:
            node = work.popleft()
            queued.discard(node)
            state = entry[node].copy()
            for step in node.steps:
                self.step(step, state)
            for edge in node.edges:
                given = self.along(edge, state)
                known = entry.get(edge.target)
                if known is None:
                    entry[edge.target] = given.copy()
                elif not known.join(given):
                    continue
                if edge.target not in queued:
                    queued.add(edge.target)
                    work.append(edge.target)
        self.report = True
        for node in nodes:
            if node in entry:
                state = entry[node].copy()
                for step in node.steps:
                    self.step(step, state)
                if node.ends is not None:
                    self.leave(node.ends, state)

    def along(self, edge: Edge, state: _State) -> _State:
        """Give the handles that get their value on `edge` the facts of what they get."""
        if not edge.passes:
            return state
        given = state.copy()
        for target, source in edge.passes:
            given.life[target.index] = state.life[source.index]
            given.pending[target.index] = state.pending[source.index]
        return given

    # Steps.

    def step(self, step: Step, state: _State) -> None:
        """Change `state` by one step; with `self.report`, note what is wrong."""
        handle = step.handle
        match step.action:
            case Action.DEFINE:
                assert handle is not None
                state.life[handle.index] = self.life_of_members(handle, state)
                state.pending[handle.index] = self.of_members(handle, state)
            case Action.CREATE:
                assert handle is not None
                self.recreate(handle, step.op, state)
                state.life[handle.index] = _LIVE
                state.pending[handle.index] = state.host
            case Action.FOLLOW:
                assert handle is not None
                assert step.source is not None
                state.life[handle.index] = _LIVE
                state.pending[handle.index] = self.after_dependencies(step, state)
            case Action.RECORD:
                assert handle is not None
                state.pending[self.handles + step.event] = state.pending[handle.index]
                state.life[self.handles + step.event] = _LIVE
                if self.report and state.life[handle.index] & ~_LIVE:
                    life = state.life[handle.index]
                    self.fault(Fault.USED_AFTER_DESTROY, handle, step.op, step.operand, life)
            case Action.AWAIT_EVENT:
                event = self.handles + step.event
                if handle is not None:
                    state.pending[handle.index] &= state.pending[event]
                if self.report and state.life[event] & ~_LIVE and step.other is not None:
                    self.event_again(step, step.other, state.life[event])
                state.life[event] = _LIVE << 1
            case Action.CONSUME:
                assert handle is not None
                if step.other is not None:
                    state.pending[step.other.index] &= state.pending[handle.index]
                self.destroy(step, handle, state)
            case Action.BLOCK:
                assert handle is not None
                self.destroy(step, handle, state)
                self.wait(state, state.pending[handle.index])
            case Action.ENQUEUE | Action.COMPLETE:
                self.enqueue(step, state)
            case Action.HOST:
                self.host(step, state)
            case Action.YIELD:
                assert handle is not None
                if step.other is not None:
                    state.life[step.other.index] = _LIVE
                    state.pending[step.other.index] = state.pending[handle.index]
                if step.wait is not None:
                    self.destroy(step, handle, state)
            case Action.ALLOCATE:
                if step.buffer is not None:
                    state.freed[step.buffer.index] = 0
                    state.written &= ~(1 << step.buffer.index)
                    self.forget(step.buffer, state)

    def forget(self, buffer: Buffer, state: _State) -> None:
        """Drop what may be pending on the memory that `buffer` was a round of the loop ago."""
        mask = 0
        for access in self.by_buffer.get(buffer, ()):
            mask |= 1 << access.bit
        if mask & state.host:
            state.host &= ~mask
            state.pending = [pending & ~mask for pending in state.pending]

    def life_of_members(self, handle: Handle, state: _State) -> int:
        """Return what may have become of an opaque handle that is made here: what became of its members."""
        life = 0
        for member in handle.members:
            life |= state.life[member.index] if isinstance(member, Handle) else _LIVE
        return life or _LIVE

    def of_members(self, handle: Handle, state: _State) -> int:
        """Return what may be pending behind an opaque handle: what may be behind any of its members."""
        mask = 0
        for member in handle.members:
            if isinstance(member, Handle):
                mask |= state.pending[member.index]
        return mask

    def after_dependencies(self, step: Step, state: _State) -> int:
        assert step.source is not None
        mask = state.host
        for dep in step.source.deps:
            handle = self.function.tokens.get(dep)
            if handle is not None:
                mask &= state.pending[handle.index]
        return mask

    def wait(self, state: _State, pending: int) -> None:
        """The host waits until only `pending` may still run; everything it starts later comes after that."""
        host = state.host & pending
        state.host = host
        for index in range(self.handles):
            state.pending[index] &= host

    def recreate(self, handle: Handle, op: Operation, state: _State) -> None:
        """A stream made again in a loop loses the one of the round before."""
        if self.report and state.life[handle.index] & _LIVE:
            self.leak(handle, op, state.life[handle.index])

    def destroy(self, step: Step, handle: Handle, state: _State) -> None:
        wait = step.wait
        assert wait is not None
        mask = state.life[handle.index]
        if self.report and mask & ~_LIVE:
            operand = wait.operand
            self.fault(Fault.DESTROYED_TWICE, handle, step.op, operand, mask)
        state.life[handle.index] = 1 << (wait.site + 1)
        for other in self.other_names.get(handle, ()):
            if len(other.members) == 1:
                state.life[other.index] &= ~_LIVE
            state.life[other.index] |= 1 << (wait.site + 1)

    def used(self, step: Step, handle: Handle | None, state: _State) -> None:
        if not self.report or handle is None or step.source is None:
            return
        deps = step.source.deps
        # A launch that lowers with several waits for the others by events, recorded where they are defined.
        for number, dep in enumerate(deps[:1] if step.source.lowers else deps):
            dependency = self.function.tokens.get(dep)
            if dependency is not None and state.life[dependency.index] & ~_LIVE:
                self.fault(
                    Fault.USED_AFTER_DESTROY, dependency, step.op, number, state.life[dependency.index]
                )

    def enqueue(self, step: Step, state: _State) -> None:
        handle = step.handle
        self.used(step, handle, state)
        pending = state.host if handle is None else state.pending[handle.index]
        if handle is None and step.source is not None and step.source.rejections:
            pending = self.after_dependencies(step, state)
        if handle is not None and Origin.UNKNOWN in handle.members and handle.kind is Kind.OPAQUE:
            # Whatever ordered this handle before it came here is out of sight; what this function put on it
            # is not.
            pending &= state.pending[handle.index]
        bits = 0
        for access in step.accesses:
            if self.report:
                self.check(access, pending, state)
            bits |= 1 << access.bit
            if access.mode in (Mode.WRITE, Mode.BOTH):
                state.written |= 1 << access.buffer.index
        if not bits:
            if step.action is Action.COMPLETE:
                self.wait(state, pending)
            return
        state.seen |= bits
        state.host |= bits
        for index in range(len(state.pending)):
            state.pending[index] |= bits
        if handle is not None:
            state.pending[handle.index] &= ~bits
        if step.action is Action.COMPLETE:
            self.wait(state, pending & ~bits)

    def host(self, step: Step, state: _State) -> None:
        handle = step.handle
        self.used(step, handle, state)
        pending = state.host if handle is None else state.pending[handle.index]
        if self.report:
            self.function.pending[step.op] = state.host
        for access in step.accesses:
            if self.report:
                self.check(access, pending, state)
            if access.mode is Mode.FREE:
                site = access.buffer.frees.index(step.op)
                state.freed[access.buffer.index] |= 1 << site
            elif access.mode is not Mode.READ:
                state.written |= 1 << access.buffer.index

    # Findings.

    def check(self, access: Access, pending: int, state: _State) -> None:
        """Compare one access with everything that may still run or has been freed."""
        buffer = access.buffer
        for earlier in self.by_buffer.get(buffer, ()):
            if not pending >> earlier.bit & 1:
                continue
            if access.mode is Mode.READ and earlier.mode is Mode.READ:
                continue
            if disjoint(access, earlier):
                continue
            key = ("race", earlier.op, access.op, buffer)
            if key not in self.found:
                self.found.add(key)
                self.function.races.append(Race(earlier, access, self.path(earlier.op, access.op)))
        freed = state.freed[buffer.index]
        for site, op in enumerate(buffer.frees):
            if freed >> site & 1:
                key = ("freed", op, access.op, buffer)
                if key not in self.found:
                    self.found.add(key)
                    first = Access(op, buffer, Mode.FREE, access.value)
                    self.function.races.append(Race(first, access, self.path(op, access.op)))
        if (
            access.mode is Mode.READ
            and access.sure
            and buffer.device
            and not state.written >> buffer.index & 1
            and access not in self.function.uninitialized
        ):
            self.function.uninitialized.append(access)

    def fault(self, fault: Fault, handle: Handle, op: Operation, operand: int | None, mask: int) -> None:
        key = (fault, handle, op, operand)
        if key in self.found:
            return
        self.found.add(key)
        sites = [w for w in self.function.waits if mask >> (w.site + 1) & 1]
        earlier = sites[0] if sites else None
        for site in sites:
            if site.op is not op:
                earlier = site
                break
        path = self.path(earlier.op, op) if earlier is not None else ""
        self.function.faults.append(HandleFault(fault, handle, op, operand, earlier, path, not mask & _LIVE))

    def event_again(self, step: Step, handle: Handle, mask: int) -> None:
        """The join runs again without the record: its event is destroyed already."""
        operand = step.operand
        key = (Fault.EVENT_DESTROYED_TWICE, handle, step.op, operand)
        if key not in self.found:
            self.found.add(key)
            path = self.path(step.op, step.op)
            self.function.faults.append(
                HandleFault(
                    Fault.EVENT_DESTROYED_TWICE, handle, step.op, operand, None, path, not mask & _LIVE
                )
            )

    def leak(self, handle: Handle, op: Operation, mask: int) -> None:
        key = (Fault.LEAKED, handle)
        if key in self.found or handle.kind is not Kind.STREAM:
            return
        self.found.add(key)
        path = self.path(handle.op, op) if mask & ~_LIVE and handle.op is not None else ""
        self.function.faults.append(
            HandleFault(Fault.LEAKED, handle, op, None, None, path, not mask & ~_LIVE)
        )

    def leave(self, op: Operation, state: _State) -> None:
        for handle in self.function.handles:
            if handle.kind is Kind.STREAM and state.life[handle.index] & _LIVE:
                self.leak(handle, op, state.life[handle.index])

    def path(self, start: Operation, end: Operation) -> str:
        """Name the branches on a shortest way through one op to another; empty for straight code."""
        function = self.function
        first, last = function.node_of.get(start), function.node_of.get(end)
        if first is None or last is None:
            return ""
        if first is last and function.order[start] < function.order[end]:
            return ""
        arrive = [] if first is function.nodes[0] else _way(function.nodes[0], first)
        go_on = _way(first, last)
        if go_on is None:
            return ""
        words = [e.when for e in (*(arrive or []), *go_on) if e.when and e.when != "the loop runs"]
        text = " and ".join(dict.fromkeys(words[-3:]))
        if any(edge.back for edge in go_on):
            return "round the loop" + (f", where {text}" if text else "")
        return f"where {text}" if text else ""


def _way(start: Node, end: Node) -> list[Edge] | None:
    """Return the edges of a shortest way of at least one edge, or None without one."""
    came: dict[Node, tuple[Node, Edge]] = {}
    work = deque([start])
    while work and end not in came:
        node = work.popleft()
        for edge in node.edges:
            if edge.target not in came:
                came[edge.target] = (node, edge)
                work.append(edge.target)
    if end not in came:
        return None
    edges: list[Edge] = []
    node = end
    while not edges or node is not start:
        node, edge = came[node]
        edges.append(edge)
    return edges[::-1]


def _nodes_in_cycles(nodes: list[Node]) -> set[Node]:
    """Return the nodes that control can come back to."""
    found: set[Node] = set()
    for node in nodes:
        seen: set[Node] = set()
        work = [edge.target for edge in node.edges]
        while work:
            inner = work.pop()
            if inner in seen:
                continue
            seen.add(inner)
            work += [edge.target for edge in inner.edges]
        if node in seen:
            found.add(node)
    return found
