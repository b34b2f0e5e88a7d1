"""Runs the graph of a function abstractly: which handle is destroyed where, which work is ordered before
what.

Ordering is kept as vector clocks: per stream, event and host, the mask of device accesses that are done
before what comes next there. Of those that may have been started, the rest may still run. What the host knows
holds for every stream, as the host starts all work. Where paths join, an access may have been started if one
path says so, and is done if each path that starts it says so. For handles, bit 0 says that it may be alive,
bit n+1 that wait n may have destroyed it.

The cost of a step does not depend on how many streams, buffers and accesses the function has, apart from the
length of the masks.
"""

from __future__ import annotations

import heapq
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
    Race,
    Step,
    bits_of,
)

_LIVE = 1
_RACES = 16
"""How many races of one access are reported: whoever repairs one sees the others in the next run."""
_RESTARTS = 64
"""How many restarted accesses may wait to be taken out of the clocks."""


class _State:
    """Facts at one point."""

    __slots__ = ("done", "freed", "host", "life", "restarted", "seen", "stamps", "written")

    def __init__(self, handles: int, events: int, buffers: int) -> None:
        self.life = [0] * (handles + events)
        """What may have become of each handle and event."""
        self.done = [0] * (handles + events)
        """Per handle and event: device accesses done before what comes next on it, besides `host`."""
        self.host = 0
        """Device accesses that are done, as the host knows."""
        self.seen = 0
        """Device accesses that may have been started."""
        self.written = 0
        """Buffers that may have been written."""
        self.freed = [0] * buffers
        self.restarted: list[int] = []
        """Accesses started once more, round a loop: done no longer, which `done` learns when it is read."""
        self.stamps: dict[int, int] = {}
        """Per handle and event: how many of `restarted` its mask knows; 0 if absent."""

    def copy(self) -> _State:
        self.settle()
        twin = _State.__new__(_State)
        twin.life, twin.done, twin.freed = self.life.copy(), self.done.copy(), self.freed.copy()
        twin.host, twin.seen, twin.written = self.host, self.seen, self.written
        twin.restarted, twin.stamps = [], {}
        return twin

    def ordered(self, index: int) -> int:
        """Return the accesses that are done before what comes next on a handle or event."""
        mask = self.done[index]
        if self.restarted:
            for again in self.restarted[self.stamps.get(index, 0) :]:
                mask &= ~again
            self.set_ordered(index, mask)
        return mask | self.host

    def set_ordered(self, index: int, mask: int) -> None:
        self.done[index] = mask
        if self.restarted:
            self.stamps[index] = len(self.restarted)

    def start(self, bits: int) -> None:
        """Device accesses begin."""
        again = self.seen & bits
        if again:
            self.host &= ~again
            self.restarted.append(again)
            if len(self.restarted) > _RESTARTS:
                self.settle()
        self.seen |= bits

    def settle(self) -> None:
        """Let every mask know what was started again."""
        if not self.restarted:
            return
        since = [0]
        for again in reversed(self.restarted):
            since.append(since[-1] | again)
        since.reverse()
        stamps = self.stamps
        self.done = [mask & ~since[stamps.get(index, 0)] for index, mask in enumerate(self.done)]
        self.restarted, self.stamps = [], {}

    def join(self, other: _State) -> bool:
        """Add the facts of `other`; tell whether anything is new. Both are settled, as copies are."""
        changed = _unite(self.life, other.life) | _unite(self.freed, other.freed)
        unseen, missing = ~self.seen, ~other.seen
        if self.done != other.done:
            for index, theirs in enumerate(other.done):
                mine = self.done[index]
                if mine != theirs:
                    mine |= self.host | unseen
                    both = mine & (theirs | other.host | missing)
                    changed = changed or both != mine
                    self.done[index] = both & ~(unseen & missing)
        known = self.host | unseen
        host = known & (other.host | missing)
        if host != known or other.seen & unseen or other.written & ~self.written:
            changed = True
        self.host = host & ~(unseen & missing)
        self.seen |= other.seen
        self.written |= other.written
        return changed


def _unite(mine: list[int], theirs: list[int]) -> bool:
    if mine == theirs:
        return False
    changed = False
    for index, mask in enumerate(theirs):
        if mask & ~mine[index]:
            mine[index] |= mask
            changed = True
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
        self.other_names = self._other_names()
        """Per stream: the opaque handles that may be the same."""
        self.touching: dict[Buffer, int] = {}
        """Per buffer: the device accesses to it, and below those that write, as masks."""
        self.writing: dict[Buffer, int] = {}
        self.trees: dict[Node, dict[Node, tuple[Node, Edge]]] = {}
        for node in function.nodes:
            for step in node.steps:
                for access in step.accesses:
                    if not access.host and access.mode is not Mode.FREE and access.bit < 0:
                        self._number(access)

    def _number(self, access: Access) -> None:
        access.bit = len(self.function.accesses)
        self.function.accesses.append(access)
        bit = 1 << access.bit
        self.touching[access.buffer] = self.touching.get(access.buffer, 0) | bit
        if access.mode is not Mode.READ:
            self.writing[access.buffer] = self.writing.get(access.buffer, 0) | bit

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
        entry = {nodes[0]: _State(self.handles, self.function.events, len(self.function.buffers))}
        if len(nodes) > 1:
            self.settle(entry)
        self.report = True
        for node in nodes:
            if node in entry:
                state = entry.pop(node)
                for step in node.steps:
                    self.step(step, state)
                if node.ends is not None:
                    self.leave(node.ends, state)

    def settle(self, entry: dict[Node, _State]) -> None:
        """Carry facts along the edges until nothing is new; `entry` gets the facts before each node."""
        first = self.function.nodes[0]
        order = _order(first)
        work = [order[first]]
        queued = {order[first]}
        nodes = {number: node for node, number in order.items()}
        local = self.local()
        while work:
            number = heapq.heappop(work)
            queued.discard(number)
            node = nodes[number]
            state = entry[node].copy()
            for step in node.steps:
                self.step(step, state)
            state.settle()
            for index in local.get(node, ()):
                if not state.life[index] & _LIVE or index >= self.handles:
                    state.life[index] = state.done[index] = 0
            for edge in node.edges:
                given = self.along(edge, state)
                known = entry.get(edge.target)
                if known is None:
                    entry[edge.target] = given.copy()
                elif not known.join(given):
                    continue
                number = order[edge.target]
                if number not in queued:
                    queued.add(number)
                    heapq.heappush(work, number)

    def local(self) -> dict[Node, list[int]]:
        """Return the streams and events that only one node knows: facts of those that are gone at its end are
        nobody's business, and paths that differ in nothing else are quickly joined."""
        where: dict[int, Node | None] = {}
        created: set[int] = set()
        for node in self.function.nodes:
            for step in node.steps:
                mentioned = [handle.index for handle in (step.handle, step.other) if handle is not None]
                if step.event >= 0:
                    mentioned.append(self.handles + step.event)
                if step.action is Action.CREATE or step.action is Action.RECORD:
                    created.add(mentioned[-1])
                for dep in step.source.deps if step.source is not None else ():
                    handle = self.function.tokens.get(dep)
                    if handle is not None:
                        mentioned.append(handle.index)
                for index in mentioned:
                    if where.setdefault(index, node) is not node:
                        where[index] = None
            for edge in node.edges:
                where.update((handle.index, None) for pair in edge.passes for handle in pair)
        for handle in self.function.handles:
            if handle.kind is Kind.OPAQUE:
                where.update((m.index, None) for m in handle.members if isinstance(m, Handle))
        found: dict[Node, list[int]] = {}
        for index, node in where.items():
            if node is not None and index in created:
                found.setdefault(node, []).append(index)
        return found

    def along(self, edge: Edge, state: _State) -> _State:
        """Give the handles that get their value on `edge` the facts of what they get."""
        if not edge.passes:
            return state
        given = state.copy()
        for target, source in edge.passes:
            given.life[target.index] = state.life[source.index]
            given.done[target.index] = state.ordered(source.index)
        return given

    # Steps.

    def step(self, step: Step, state: _State) -> None:
        """Change `state` by one step; with `self.report`, note what is wrong."""
        handle = step.handle
        match step.action:
            case Action.DEFINE:
                assert handle is not None
                state.life[handle.index] = self.life_of_members(handle, state)
                state.set_ordered(handle.index, self.of_members(handle, state))
            case Action.CREATE:
                assert handle is not None
                self.recreate(handle, step.op, state)
                state.life[handle.index] = _LIVE
                state.set_ordered(handle.index, 0)
            case Action.FOLLOW:
                assert handle is not None
                assert step.source is not None
                state.life[handle.index] = _LIVE
                state.set_ordered(handle.index, self.after_dependencies(step, state))
            case Action.RECORD:
                assert handle is not None
                state.set_ordered(self.handles + step.event, state.ordered(handle.index))
                state.life[self.handles + step.event] = _LIVE
                if self.report and state.life[handle.index] & ~_LIVE:
                    life = state.life[handle.index]
                    self.fault(Fault.USED_AFTER_DESTROY, handle, step.op, step.operand, life)
            case Action.AWAIT_EVENT:
                event = self.handles + step.event
                if handle is not None:
                    both = state.ordered(handle.index) | state.ordered(event)
                    state.set_ordered(handle.index, both)
                if self.report and state.life[event] & ~_LIVE and step.other is not None:
                    self.event_again(step, step.other, state.life[event])
                state.life[event] = _LIVE << 1
            case Action.CONSUME:
                assert handle is not None
                if step.other is not None:
                    both = state.ordered(step.other.index) | state.ordered(handle.index)
                    state.set_ordered(step.other.index, both)
                self.destroy(step, handle, state)
            case Action.BLOCK:
                assert handle is not None
                self.destroy(step, handle, state)
                state.host |= state.ordered(handle.index)
            case Action.ENQUEUE | Action.COMPLETE:
                self.enqueue(step, state)
            case Action.HOST:
                self.host(step, state)
            case Action.YIELD:
                assert handle is not None
                if step.other is not None:
                    state.life[step.other.index] = _LIVE
                    state.set_ordered(step.other.index, state.ordered(handle.index))
                if step.wait is not None:
                    self.destroy(step, handle, state)
            case Action.ALLOCATE:
                if step.buffer is not None:
                    state.freed[step.buffer.index] = 0
                    state.written &= ~(1 << step.buffer.index)
                    # What may be pending is on the memory that the buffer was a round of the loop ago.
                    state.host |= self.touching.get(step.buffer, 0) & state.seen

    def life_of_members(self, handle: Handle, state: _State) -> int:
        """Return what may have become of an opaque handle that is made here: what became of its members."""
        life = 0
        for member in handle.members:
            life |= state.life[member.index] if isinstance(member, Handle) else _LIVE
        return life or _LIVE

    def of_members(self, handle: Handle, state: _State) -> int:
        """Return what is done behind an opaque handle: what is done behind each of its members."""
        mask = state.seen
        for member in handle.members:
            if isinstance(member, Handle):
                mask &= state.ordered(member.index)
        return mask

    def after_dependencies(self, step: Step, state: _State) -> int:
        assert step.source is not None
        mask = state.host
        for dep in step.source.deps:
            handle = self.function.tokens.get(dep)
            if handle is not None:
                mask |= state.ordered(handle.index)
        return mask

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
        done = state.host if handle is None else state.ordered(handle.index)
        if handle is None and step.source is not None and step.source.rejections:
            done = self.after_dependencies(step, state)
        bits = 0
        for access in step.accesses:
            if self.report:
                self.check(access, state.seen & ~done, state)
            bits |= 1 << access.bit
            if access.mode in (Mode.WRITE, Mode.BOTH):
                state.written |= 1 << access.buffer.index
        if bits:
            state.start(bits)
            if handle is not None:
                state.set_ordered(handle.index, state.ordered(handle.index) | bits)
        if step.action is Action.COMPLETE:
            state.host |= done | bits

    def host(self, step: Step, state: _State) -> None:
        handle = step.handle
        self.used(step, handle, state)
        done = state.host if handle is None else state.ordered(handle.index)
        if self.report:
            self.function.pending[step.op] = state.seen & ~state.host
        for access in step.accesses:
            if self.report:
                self.check(access, state.seen & ~done, state)
            if access.mode is Mode.FREE:
                site = access.buffer.frees.index(step.op)
                state.freed[access.buffer.index] |= 1 << site
            elif access.mode is not Mode.READ:
                state.written |= 1 << access.buffer.index

    # Findings.

    def check(self, access: Access, pending: int, state: _State) -> None:
        """Compare one access with everything that may still run or has been freed."""
        buffer = access.buffer
        conflicts = (self.writing if access.mode is Mode.READ else self.touching).get(buffer, 0)
        found = 0
        for bit in bits_of(pending & conflicts):
            earlier = self.function.accesses[bit]
            if disjoint(access, earlier):
                continue
            found += 1
            if found > _RACES:
                break
            self.race(earlier, access)
        for site in bits_of(state.freed[buffer.index]):
            self.race(Access(buffer.frees[site], buffer, Mode.FREE, access.value), access)
        if (
            access.mode is Mode.READ
            and access.sure
            and buffer.device
            and not state.written >> buffer.index & 1
            and access not in self.found
        ):
            self.found.add(access)
            self.function.uninitialized.append(access)

    def race(self, first: Access, second: Access) -> None:
        key = (first.mode is Mode.FREE, first.op, second.op, second.buffer)
        if key not in self.found:
            self.found.add(key)
            self.function.races.append(Race(first, second, self.path(first.op, second.op)))

    def fault(self, fault: Fault, handle: Handle, op: Operation, operand: int | None, mask: int) -> None:
        key = (fault, handle, op, operand)
        if key in self.found:
            return
        self.found.add(key)
        sites = [self.function.waits[site] for site in bits_of(mask >> 1)]
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
        arrive = [] if first is function.nodes[0] else self.way(function.nodes[0], first)
        go_on = self.way(first, last)
        if go_on is None:
            return ""
        words = [e.when for e in (*(arrive or []), *go_on) if e.when and e.when != "the loop runs"]
        text = " and ".join(dict.fromkeys(words[-3:]))
        if any(edge.back for edge in go_on):
            return "round the loop" + (f", where {text}" if text else "")
        return f"where {text}" if text else ""

    def way(self, start: Node, end: Node) -> list[Edge] | None:
        """Return the edges of a shortest way of at least one edge, or None without one."""
        came = self.trees.get(start)
        if came is None:
            came = self.trees[start] = _tree(start)
        if end not in came:
            return None
        edges: list[Edge] = []
        node = end
        while not edges or node is not start:
            node, edge = came[node]
            edges.append(edge)
        return edges[::-1]


def _tree(start: Node) -> dict[Node, tuple[Node, Edge]]:
    """Return for each node that control can reach from `start` whence a shortest way of edges comes to it."""
    came: dict[Node, tuple[Node, Edge]] = {}
    work = deque([start])
    while work:
        node = work.popleft()
        for edge in node.edges:
            if edge.target not in came:
                came[edge.target] = (node, edge)
                work.append(edge.target)
    return came


def _order(first: Node) -> dict[Node, int]:
    """Return numbers by which a node comes after all nodes that lead to it, back edges left aside."""
    return {node: number for number, node in enumerate(reversed(_postorder(first)))}


def _postorder(first: Node) -> list[Node]:
    seen = {first}
    left: list[Node] = []
    work = [(first, iter(first.edges))]
    while work:
        node, edges = work[-1]
        edge = next(edges, None)
        if edge is None:
            left.append(node)
            work.pop()
        elif edge.target not in seen:
            seen.add(edge.target)
            work.append((edge.target, iter(edge.target.edges)))
    return left


def _nodes_in_cycles(nodes: list[Node]) -> set[Node]:
    """Return the nodes that control can come back to, by Kosaraju's two walks."""
    if not nodes:
        return set()
    order = _order(nodes[0])
    before: dict[Node, list[Node]] = {}
    for node in order:
        for edge in node.edges:
            before.setdefault(edge.target, []).append(node)
    found: set[Node] = set()
    seen: set[Node] = set()
    for root in order:
        group: list[Node] = []
        work = [root]
        while work:
            node = work.pop()
            if node in seen:
                continue
            seen.add(node)
            group.append(node)
            work += before.get(node, ())
        if len(group) > 1 or root in before.get(root, ()):
            found.update(group)
    return found
