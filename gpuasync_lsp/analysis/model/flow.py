"""Runs the graph of a function abstractly: which handle is destroyed where, which work is ordered before
what.

Facts of all paths are joined (`state.py`) until nothing is new; what that finds wrong on some path is looked
for on single paths (`witness.py`), which tell the conditions, or that there is no such path.

The cost of a step does not depend on how many streams, buffers and accesses the function has, apart from the
length of the masks.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.conditions import Subject, Test
from gpuasync_lsp.analysis.model.function import (
    Access,
    Action,
    AsyncFunction,
    Edge,
    Fault,
    Handle,
    Kind,
    Node,
    Step,
    bits_of,
)
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.memory.touches import Touches
from gpuasync_lsp.analysis.model.state import LIVE, State
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.text.effort import spend

_RACES = 16
"""How many races of one access are reported: whoever repairs one sees the others in the next run."""


class Flow:
    """What each step does to the facts, for all paths at once or for one."""

    def __init__(self, function: AsyncFunction) -> None:
        self.function = function
        self.handles = len(function.handles)
        self.report = False
        self.goal: Goal | None = None
        """The fault or race that a single path is searched for; then nothing else is noted."""
        self.reached = 0
        """Where the goal is reached: what may have become of the handle, as a mask."""
        self.assumed: Mapping[Subject, Test] = {}
        """What is known of conditions on the path that is looked at."""
        self.found: dict[Goal, int] = {}
        """What may be wrong, with what may have become of the handle there."""
        self.sharing = self._sharing()
        """Per handle that is some thing itself: the opaque handles that may be names for it."""
        self.taken = 1 << (len(function.waits) + 1)
        """Stands in masks for a wait that took a stream for an event, under another name."""
        self.gone = ~(LIVE | self.taken)
        """What in a mask says that a wait destroyed the thing."""
        self.of_streams = LIVE
        """The waits that destroy streams as streams, and the bit of what is alive."""
        for wait in function.waits:
            if wait.handle.kind is Kind.STREAM or wait.op.name == "async.yield":
                self.of_streams |= 1 << (wait.site + 1)
        self.memory = Touches(function)
        steps = (step for node in function.nodes for step in node.steps)
        self.joins = [step for step in steps if step.action is Action.AWAIT_EVENT]

    def _sharing(self) -> dict[int, list[int]]:
        """Follow what opaque handles get their value from."""
        opaque = [handle for handle in self.function.handles if handle.kind is Kind.OPAQUE]
        things = {handle: {handle.index} for handle in opaque}
        changed = True
        while changed:
            changed = False
            spend(len(opaque))
            for handle in opaque:
                known = things[handle]
                before = len(known)
                for source in handle.sources:
                    if isinstance(source, Handle):
                        known |= things.get(source, {source.index})
                changed = changed or len(known) != before
        found: dict[int, list[int]] = {}
        for handle in opaque:
            for thing in things[handle]:
                if thing != handle.index:
                    found.setdefault(thing, []).append(handle.index)
        return found

    def run(self) -> None:
        """Fill in what is wrong in the function."""
        nodes = self.function.nodes
        entry = {nodes[0]: self.start()}
        if len(nodes) > 1:
            self.settle(entry)
        self.function.reached = set(entry)
        self.report = True
        for node in nodes:
            if node in entry:
                self.through(node, entry.pop(node))
        self.report = False

    def start(self) -> State:
        """Return the facts at the beginning of the function."""
        return State(self.handles, self.function.events, len(self.function.buffers))

    def through(self, node: Node, state: State) -> None:
        """Let `state` become what holds at the end of `node`."""
        spend(1 + len(node.steps))
        for step in node.steps:
            self.step(step, state)
        if node.ends is not None and self.report:
            self.leave(node.ends, state)

    def settle(self, entry: dict[Node, State]) -> None:
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
            spend(4 + len(state.life) // 8)
            self.through(node, state)
            state.settle()
            for index in local.get(node, ()):
                if not state.life[index] & LIVE or index >= self.handles:
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

    def along(self, edge: Edge, state: State) -> State:
        """Give the handles that get their value on `edge` the facts of what they get."""
        if not edge.passes and not edge.moves and edge.skips is None:
            return state
        given = state.copy()
        self.memory.move(edge, state, given)
        for target, source in edge.passes:
            given.life[target.index] = state.life[source.index]
            given.done[target.index] = state.ordered(source.index)
            given.holds[target.index] = self.things(source, state)
        return given

    def things(self, handle: Handle, state: State) -> int:
        """Return what `handle` may be a name for, as bits."""
        known = state.holds.get(handle.index, 0) if handle.kind is Kind.OPAQUE else 0
        return known or 1 << handle.index

    def renew(self, thing: int, state: State) -> None:
        """The thing that handle `thing` itself is gets made again: other names are for the earlier one."""
        for name in self.sharing.get(thing, ()):
            mask = state.holds.get(name, 0)
            if mask >> thing & 1:
                state.holds[name] = mask & ~(1 << thing) | 1 << (thing + self.handles)

    # Steps.

    def step(self, step: Step, state: State) -> None:
        """Change `state` by one step; with `self.report`, note what is wrong."""
        handle = step.handle
        match step.action:
            case Action.DEFINE:
                assert handle is not None
                self.define(handle, step, state)
            case Action.CREATE:
                assert handle is not None
                self.recreate(handle, step.op, state)
                self.renew(handle.index, state)
                state.life[handle.index] = LIVE
                state.set_ordered(handle.index, 0)
            case Action.FOLLOW:
                assert handle is not None
                assert step.source is not None
                state.life[handle.index] = LIVE
                state.set_ordered(handle.index, self.after_dependencies(step, state))
            case Action.RECORD:
                assert handle is not None
                state.set_ordered(self.handles + step.event, state.ordered(handle.index))
                state.life[self.handles + step.event] = LIVE
                if self.report and state.life[handle.index] & self.gone:
                    life = state.life[handle.index]
                    self.fault(Goal(Fault.USED_AFTER_DESTROY, step.op, step.operand, handle), life)
            case Action.AWAIT_EVENT:
                event = self.handles + step.event
                if handle is not None:
                    both = state.ordered(handle.index) | state.ordered(event)
                    state.set_ordered(handle.index, both)
                if self.report and state.life[event] & self.gone and step.other is not None:
                    goal = Goal(
                        Fault.EVENT_DESTROYED_TWICE, step.op, step.operand, step.other, event=step.event
                    )
                    self.fault(goal, state.life[event])
                state.life[event] = self.taken << 1
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
                if step.wait is not None:
                    self.destroy(step, handle, state)
            case Action.ALLOCATE:
                assert step.buffer is not None
                if self.report and self.memory.is_lost_again(step.buffer, state):
                    self.fault(Goal(Fault.LEAKED, step.op, buffer=step.buffer), LIVE)
                self.memory.allocate(step.buffer, state)
            case Action.BEGIN_TASK:
                state.set_ordered(self.handles + step.event, state.host)
                for task in step.after:
                    state.host |= state.ordered(self.handles + task + 1)
            case Action.END_TASK:
                state.set_ordered(self.handles + step.event + 1, state.host)
                state.host = 0
                state.host = state.ordered(self.handles + step.event)
            case Action.AWAIT_TASK:
                state.host |= state.ordered(self.handles + step.event + 1)
            case Action.RENEW:
                assert step.value is not None
                state.renew(self.memory.depending.get(step.value, 0))

    def define(self, handle: Handle, step: Step, state: State) -> None:
        """An opaque handle gets its value, from others or from out of sight."""
        sources = [source for source in handle.sources if isinstance(source, Handle)]
        known = step.other is not None
        if step.other is not None:
            sources = [step.other]
        life = mask = 0
        done = state.seen
        for source in sources:
            life |= state.life[source.index]
            mask |= self.things(source, state)
            done &= state.ordered(source.index)
        if not sources or (len(sources) < len(handle.sources) and not known):
            self.renew(handle.index, state)
            life |= LIVE
            mask |= 1 << handle.index
        state.life[handle.index] = life or LIVE
        state.holds[handle.index] = mask
        state.set_ordered(handle.index, done)

    def same(self, handle: Handle, state: State) -> list[int]:
        """Return the handles that are surely the same thing as `handle`, itself among them."""
        things = self.things(handle, state)
        if things & (things - 1) or things >= 1 << self.handles:
            return [handle.index]
        thing = things.bit_length() - 1
        found = [n for n in self.sharing.get(thing, ()) if state.holds.get(n, 0) == things]
        return [*dict.fromkeys((handle.index, thing, *found))]

    def after_dependencies(self, step: Step, state: State) -> int:
        assert step.source is not None
        mask = state.host
        for dep in step.source.deps:
            handle = self.function.tokens.get(dep)
            if handle is not None:
                mask |= state.ordered(handle.index)
        return mask

    def recreate(self, handle: Handle, op: Operation, state: State) -> None:
        """A stream made again in a loop loses the one of the round before."""
        held = any(state.holds.get(n, 0) >> handle.index & 1 for n in self.sharing.get(handle.index, ()))
        if self.report and state.life[handle.index] & LIVE and not held:
            self.leak(handle, op, state.life[handle.index])

    def destroy(self, step: Step, handle: Handle, state: State) -> None:
        wait = step.wait
        assert wait is not None
        mask = state.life[handle.index]
        if step.action is Action.YIELD:
            # What took it for an event has not destroyed the stream.
            mask &= self.of_streams
        if self.report and mask & self.gone:
            self.fault(Goal(Fault.DESTROYED_TWICE, step.op, wait.operand, handle), mask)
        gone = 1 << (wait.site + 1)
        state.life[handle.index] = gone
        things = self.things(handle, state)
        sure = things & (things - 1) == 0 and things < 1 << self.handles
        for thing in bits_of(things & ((1 << self.handles) - 1)):
            for name in self.sharing.get(thing, ()):
                theirs = state.holds.get(name, 0)
                if theirs >> thing & 1 and name != handle.index:
                    state.life[name] = gone if sure and theirs == things else state.life[name] | gone
            if thing != handle.index:
                really = self.function.handles[thing].kind is Kind.OPAQUE or step.action is Action.YIELD
                left = 0 if sure else state.life[thing]
                # mgpuEventDestroy on a stream is a fault of its own: no more is told of the stream.
                state.life[thing] = left | (gone if really else self.taken | state.life[thing] & self.gone)

    def used(self, step: Step, handle: Handle | None, state: State) -> None:
        if not self.report or handle is None or step.source is None:
            return
        deps = step.source.deps
        # A launch that lowers with several waits for the others by events, recorded where they are defined.
        for number, dep in enumerate(deps[:1] if step.source.lowers else deps):
            dependency = self.function.tokens.get(dep)
            if dependency is not None and state.life[dependency.index] & self.gone:
                goal = Goal(Fault.USED_AFTER_DESTROY, step.op, number, dependency)
                self.fault(goal, state.life[dependency.index])

    def enqueue(self, step: Step, state: State) -> None:
        handle = step.handle
        self.used(step, handle, state)
        done = state.host if handle is None else state.ordered(handle.index)
        if handle is None and step.source is not None and step.source.rejections:
            done = self.after_dependencies(step, state)
        bits = 0
        for access in step.accesses:
            if self.report:
                self.check(access, state.seen & ~done, state)
            if access.bit >= 0:  # A free is no work on the stream: the host does it.
                bits |= 1 << access.bit
        for access in step.accesses:
            self.memory.touch(access, state)
        if bits:
            state.start(bits)
            for index in self.same(handle, state) if handle is not None else ():
                state.set_ordered(index, state.ordered(index) | bits)
        if step.action is Action.COMPLETE:
            state.host |= done | bits

    def host(self, step: Step, state: State) -> None:
        handle = step.handle
        self.used(step, handle, state)
        done = state.host if handle is None else state.ordered(handle.index)
        if self.report and self.goal is None:
            self.function.pending[step.op] = state.seen & ~state.host
        bits = 0
        for access in step.accesses:
            if self.report:
                self.check(access, state.seen & ~done, state)
            self.memory.touch(access, state)
            if access.task:
                bits |= 1 << access.bit
        if bits:
            state.start(bits)
            state.host |= bits

    # Findings.

    def check(self, access: Access, pending: int, state: State) -> None:
        """Compare one access with everything that may still run or has been freed."""
        memory, found = self.memory, 0
        places = memory.places(access, state)
        for bit in bits_of(pending & memory.conflicts(access)):
            spend()
            earlier = self.function.accesses[bit]
            if access.mode is earlier.mode is Mode.ATOMIC or not memory.meets(earlier, access, places, state):
                continue
            found += 1
            if found > _RACES and self.goal is None:
                break
            self.race(earlier, access)
        for place in places:
            for site in bits_of(state.freed[place.buffer.index]):
                self.race(memory.frees[site], access)
            if memory.is_unwritten(access, place, state):
                self.fault(Goal(None, access.op, buffer=place.buffer, second=access), LIVE)

    def race(self, first: Access, second: Access) -> None:
        freed = first.mode is Mode.FREE
        self.fault(Goal(None, second.op, first_op=first.op, freed=freed, first=first, second=second), LIVE)

    def fault(self, goal: Goal, mask: int) -> None:
        """Note that something may be wrong, or that it is what is looked for."""
        if self.goal is None:
            self.found[goal] = self.found.get(goal, 0) | mask
        elif self.goal == goal and (not self.goal.site or self.goal.site & mask):
            self.reached = mask

    def leave(self, op: Operation, state: State) -> None:
        for buffer in self.memory.lost(op, state):
            self.fault(Goal(Fault.LEAKED, op, buffer=buffer), LIVE)
        for handle in self.function.handles:
            if handle.kind is Kind.STREAM:
                self.leak(handle, op, state.life[handle.index])
        for join in self.joins:
            if state.life[self.handles + join.event] & LIVE and join.other is not None:
                goal = Goal(Fault.EVENT_LEAKED, join.op, join.operand, join.other, event=join.event)
                self.fault(goal, LIVE)

    def leak(self, handle: Handle, op: Operation, mask: int) -> None:
        if self.goal is None or mask & LIVE:
            self.fault(Goal(Fault.LEAKED, op, None, handle), mask)


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
