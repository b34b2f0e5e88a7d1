"""A function run so that after an edit only those stretches are looked at again that it concerns.

The steps of each node are cut into stretches. Kept of each are the facts before it, what was noted in it, and
what it does to accesses that others start (`Passage`). An edit puts other stretches in the place of some.
These are run; what the facts behind them differ in from before is carried on alone, along the edges, too. A
stretch that it has to do with is run again; in all others what was noted there stays.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence, Set

from gpuasync_lsp.analysis.model.detours import close
from gpuasync_lsp.analysis.model.flow.difference import (
    Counted,
    come_and_gone,
    is_simple,
    renumber,
    together,
    waits,
)
from gpuasync_lsp.analysis.model.flow.facts import Differing, Facts
from gpuasync_lsp.analysis.model.flow.fixpoint import order_of_nodes, settled
from gpuasync_lsp.analysis.model.flow.mentions import (
    Mentioned,
    by_other_names,
    mask_of,
    mentioned,
    moved,
    of_one_node,
    wanted_behind,
)
from gpuasync_lsp.analysis.model.flow.passage import Passage, passage
from gpuasync_lsp.analysis.model.flow.runs import Run, Stretch, untouched
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import Access, Action, AsyncFunction, Edge, Node, Step, bits_of
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.memory.coverage import MOST_WRITES
from gpuasync_lsp.analysis.model.memory.touches import WRITES
from gpuasync_lsp.analysis.model.state import LIVE, State
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.text.effort import spend

LONG = 500
"""Steps of a function from which on it is cut into stretches."""
_SHORTEST = 64
"""Steps of a stretch, at least, where the node has more."""
_STRETCHES = 128
"""Into how many parts the steps of a function are cut."""
_AGAIN = 64
"""Accesses that may be gone, besides a quarter of all, before a function is run anew: their numbers are not
used again."""


def is_long(function: AsyncFunction) -> bool:
    """Tell whether it pays to keep what is known of the stretches of `function`."""
    return sum(len(node.steps) for node in function.nodes) >= LONG


class Stretches:
    """The stretches of one function."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._function = flow.function
        self._runs: dict[Node, Run] = {}
        self._size = _SHORTEST
        self._counted = Counted(flow.function)
        self._gone: list[Access] = []
        """Accesses that are gone: what is kept of the facts may still have their numbers."""
        self._conflicts: dict[tuple[bool, Buffer], int] = {}
        """Of accesses that are gone: what they touched, and below what they wrote, by whether that is asked
        for a read."""
        self._instead: dict[Access, int] = {}
        """Per write that came or went: another one of the same, by its site."""

    def run(self) -> None:
        """Note what is wrong, and keep the facts before each stretch."""
        function = self._function
        self._size = max(_SHORTEST, sum(len(node.steps) for node in function.nodes) // _STRETCHES)
        self._runs = {node: Run(node.steps.copy(), self._cut(node.steps)) for node in function.nodes}
        for run in self._runs.values():
            for stretch in run.stretches:
                stretch.mentioned = mentioned(function, stretch.steps)
        self._look_behind()
        entry = settled(self.flow, {node: run.local for node, run in self._runs.items()})
        function.reached = set(entry)
        for node, run in self._runs.items():
            before = entry.get(node)
            if before is not None:
                state = _wanted(before, run.stretches[0].before)
                for stretch in run.stretches:
                    stretch.state = state.copy()
                    self._run(stretch, state)
                    state.settle()
                    _forget(state, (stretch.before | stretch.mentioned.all) & ~stretch.behind)
                run.after = state
                self._leave(node, run)
        self._tell()

    def again(self) -> bool:
        """Do the same after an edit; False where that cannot be done, and the function has to be run
        anew."""
        function, flow = self._function, self.flow
        few = len(self._gone) < _AGAIN + len(function.accesses) // 4
        if not few:
            return False
        changed_nodes = self._cut_nodes()
        spend(1 + sum(len(node.steps) for node in function.nodes) // 8)
        old, new = list[Step](), list[Step]()
        for node, run in self._runs.items():
            if run.steps != node.steps:
                old += self._put_in(run, node.steps)
                new += [step for stretch in run.stretches if stretch.is_edited for step in stretch.steps]
        gone, made = come_and_gone(old, new)
        if not all(map(is_simple, (*gone, *made))):
            return False
        stay = {*new}
        for step in old:
            if step not in stay:
                function.pending.pop(step.op, None)
        self._remember(gone)
        self._instead.clear()
        renumber(flow, gone, made)
        changed = {*old} ^ stay
        handed_out = {buffer for buffer in flow.memory.hand_out() if buffer.device}
        for stretch in self._which_allocate(handed_out):
            stretch.is_edited = True
        others = self._count(waited=waits(changed))
        differing = Differing(anew=mask_of(others or ()))
        if not self._look_behind(differing, changed_nodes):
            return False
        for access in (*gone, *made):
            if access.mode is Mode.FREE and access.buffer in function.buffers:
                differing.buffers.add(access.buffer)
            differing.accesses |= 1 << access.bit if access.bit >= 0 else 0
            if access.mode in WRITES:
                differing.sites |= 1 << flow.memory.site_of(access)
        trials = self._try(differing)
        if trials is None:
            return False
        self._carry(differing, trials, is_left_otherwise=others is not None or bool(handed_out))
        self._close_nodes()
        self._tell()
        return True

    def _which_allocate(self, buffers: Set[Buffer]) -> Iterator[Stretch]:
        """Yield the stretches in which some of `buffers` come to be: where they are lost is said there."""
        for run in self._runs.values() if buffers else ():
            for stretch in run.stretches:
                if any(step.buffer in buffers for step in stretch.steps if step.action is Action.ALLOCATE):
                    yield stretch

    # Nodes that come and go.

    def _cut_nodes(self) -> set[Node]:
        """Let what is known be of the nodes that there are: in those that have come nothing was done, and all
        was as it was where a node was cut. Return these, and what was cut."""
        function = self._function
        come = [node for node in function.nodes if node not in self._runs]
        if function.detour is None or function.detour.cut is None:
            return set()
        first, end = function.detour.cut
        run = self._runs[first]
        rest, state = run.cut(end.steps)
        runs = {node: Run([], [untouched(state, run.behind)], None, {}, [], run.behind) for node in come}
        for made in runs.values():
            made.after = None if state is None else state.copy()
        runs[end] = rest
        self._runs.update(runs)
        return {first, *come} - {end}

    def _close_nodes(self) -> None:
        """Let nodes that are gone be part of the one that they were put into; and nobody's any more."""
        function, runs = self._function, self._runs
        detour = function.detour
        close(function)
        if detour is None:
            return
        # Paths are others.
        function.drawn = None
        if detour.closed is not None:
            first, last = detour.closed
            runs[first].take(runs[last], 2 * self._size, lambda steps: mentioned(function, steps))
        self._runs = {node: runs[node] for node in function.nodes}
        entry = function.nodes[0]
        function.reached = {entry, *_reachable([entry])}

    # The stretches and what they mention.

    def _cut(self, steps: list[Step]) -> list[Stretch]:
        return [Stretch(steps[at : at + self._size]) for at in range(0, len(steps), self._size)] or [
            Stretch([])
        ]

    def _put_in(self, run: Run, steps: list[Step]) -> list[Step]:
        """Let a node have other steps; return those of the stretches that are no more."""
        stretches, first, begin = run.stretches, 0, 0
        while (
            first < len(stretches) - 1
            and stretches[first].steps == (steps[begin : (end := begin + len(stretches[first].steps))])
        ):
            first, begin = first + 1, end
        last, end = len(stretches), len(steps)
        while (
            last > first + 1
            and (at := end - len(stretches[last - 1].steps)) >= begin
            and stretches[last - 1].steps == steps[at:end]
        ):
            last, end = last - 1, at
        gone = stretches[first:last]
        middle = steps[begin:end]
        made = self._cut(middle) if len(middle) > 2 * self._size else [Stretch(middle)]
        made[0].state, made[0].before, made[-1].behind = gone[0].state, gone[0].before, gone[-1].behind
        made[0].notes = {goal: mask for stretch in gone for goal, mask in stretch.notes.items()}
        for stretch in made:
            stretch.is_edited, stretch.mentioned = True, mentioned(self._function, stretch.steps)
        stretches[first:last] = made
        run.steps = steps.copy()
        return [step for stretch in gone for step in stretch.steps]

    def _count(self, *, waited: bool) -> list[int] | None:
        """Let the facts be by the numbers that streams and events have now; return those that are new, None
        where no wait came or went."""
        states = [
            state
            for run in self._runs.values()
            for state in (*(stretch.state for stretch in run.stretches), run.after)
            if state is not None
        ]
        if self._counted.has_other_buffers:
            self._counted.count_buffers(states)
        counted = self._counted.anew(self.flow, states, waited=waited)
        if counted is None:
            return None
        gone, made, others = counted
        if gone or made:
            for run in self._runs.values():
                run.behind = moved(run.behind, gone, made)
                for stretch in run.stretches:
                    if not stretch.is_edited:
                        every, own = stretch.mentioned
                        stretch.mentioned = Mentioned(moved(every, gone, made), moved(own, gone, made))
                    stretch.before = moved(stretch.before, gone, made)
                    stretch.behind = moved(stretch.behind, gone, made)
                    if stretch.passage is not None:
                        stretch.passage = stretch.passage.moved(lambda mask: moved(mask, gone, made))
        return others

    def _look_behind(self, differing: Differing | None = None, told: Set[Node] = frozenset()) -> bool:
        """Find what matters behind each stretch. What did not matter before has to be told anew; False where
        other nodes would have to be told than those that are `told`."""
        function, runs = self._function, self._runs
        always = by_other_names(function)
        parts = {node: run.mentioned() for node, run in runs.items()}
        local = of_one_node(parts, always)
        behind = wanted_behind(function.nodes, parts, always)
        for node, run in runs.items():
            wanted = behind[node]
            if differing is not None and wanted & ~run.behind:
                if node.edges and node not in told:
                    return False
                differing.anew |= wanted & ~run.behind
            if run.after is not None:
                _forget(run.after, run.behind & ~wanted)
            run.local, run.behind = local.get(node, []), wanted
            for stretch in reversed(run.stretches):
                if differing is not None and not stretch.is_edited and (more := wanted & ~stretch.behind):
                    differing.anew |= more
                    stretch.is_edited = bool(more & (stretch.before | stretch.mentioned.all))
                stretch.had, stretch.known = stretch.before, stretch.behind
                stretch.behind = wanted
                wanted = stretch.mentioned.before(wanted) | always
                stretch.before = wanted
                if differing is not None and stretch.state is not None:
                    _forget(stretch.state, stretch.had & ~wanted)
        return True

    def _remember(self, gone: Sequence[Access]) -> None:
        """Remember what accesses touched that are gone."""
        self._gone += gone
        for access in gone:
            for buffer in access.buffer.all if access.bit >= 0 else ():
                bit = 1 << access.bit
                self._conflicts[False, buffer] = self._conflicts.get((False, buffer), 0) | bit
                if access.mode is not Mode.READ:
                    self._conflicts[True, buffer] = self._conflicts.get((True, buffer), 0) | bit

    # Running.

    def _run(self, stretch: Stretch, state: State, *, report: bool = True) -> None:
        """Let `state` become what holds behind a stretch; with `report`, note what is wrong in it."""
        notes, found = self.flow.notes, dict[Goal, int]()
        if report:
            notes.found = found
        notes.report = report
        self.flow.by(stretch.steps, state)
        notes.report = False
        if report:
            stretch.notes = _same(stretch.notes, found) if stretch.notes else found

    def _leave(self, node: Node, run: Run) -> None:
        """Note what is wrong where a node leaves the function."""
        notes, found = self.flow.notes, dict[Goal, int]()
        if node.ends is not None and run.after is not None:
            notes.report, notes.found = True, found
            self.flow.leave(node, run.after)
            notes.report = False
        run.notes = _same(run.notes, found) if run.notes else found

    def _tell(self) -> None:
        """Put together what was noted."""
        runs = self._runs.values()
        parts = [notes for run in runs for notes in (*(s.notes for s in run.stretches), run.notes)]
        self.flow.notes.parts = [notes for notes in parts if notes]
        self.flow.notes.found = together(self.flow.notes.parts)

    def _try(self, differing: Differing) -> dict[Stretch, State] | None:
        """Run the stretches that were edited from the facts that were known before them, and find what the
        facts behind them differ in; return these by the first of each row of such stretches. None where they
        differ in more than can be carried on alone."""
        trials: dict[Stretch, State] = {}
        for run in self._runs.values():
            anew: dict[int, int] = {}
            for first, last in _edited(run.stretches):
                before, known = run.stretches[first].state, run.state_behind(last - 1)
                if before is None or known is None:
                    continue
                before.done.update((n, m) for n, m in anew.items() if not run.stretches[first].had >> n & 1)
                state = self._through(run.stretches[first:last], before.copy(), report=True)
                end = run.stretches[last - 1]
                if not differing.add(self._function, known, state, end.behind & end.known):
                    return None
                anew = {index: state.ordered(index) for index in bits_of(differing.anew)}
                trials[run.stretches[first]] = state
        by_names = differing.lives and by_other_names(self._function)
        return None if by_names else trials

    def _through(self, stretches: Sequence[Stretch], state: State, *, report: bool) -> State:
        """Return what holds behind stretches in a row; with `report`, note what is wrong, and keep the facts
        between them."""
        for stretch in stretches:
            if report and stretch is not stretches[0]:
                stretch.state = _wanted(state, stretch.before)
            self._run(stretch, state, report=report)
        state.settle()
        return state

    # What differs.

    def _carry(self, differing: Differing, trials: dict[Stretch, State], *, is_left_otherwise: bool) -> None:
        """Carry on what the facts differ in from before, and note what is wrong where that matters."""
        edited = [node for node, run in self._runs.items() if any(s.is_edited for s in run.stretches)]
        behind = _reachable(edited)
        entry = self._settled(differing, trials, behind)
        for node, run in self._runs.items():
            before = run.stretches[0].state
            if before is None or (node not in behind and node not in edited):
                continue
            facts = entry[node] if node in behind else differing.part(before)
            self._walk(run, facts, differing, trials, keep=True)
            if is_left_otherwise or differing.buffers:
                self._leave(node, run)
            for stretch in run.stretches:
                stretch.is_edited = False

    def _settled(
        self, differing: Differing, trials: dict[Stretch, State], behind: set[Node]
    ) -> dict[Node, Facts]:
        """Return what is known before each of the nodes `behind` edited ones of what differs."""
        entry: dict[Node, Facts] = {}
        if not behind:
            return entry
        order = order_of_nodes(self._function.nodes[0])
        work: list[int] = []
        nodes = {number: node for node, number in order.items()}

        def leave(node: Node, facts: Facts) -> None:
            for edge in node.edges:
                if edge.target not in behind:
                    continue
                given = self._along(edge, facts, differing)
                known = entry.get(edge.target)
                if known is None:
                    entry[edge.target] = given.copy()
                elif not known.join(given):
                    continue
                if order[edge.target] not in work:
                    heapq.heappush(work, order[edge.target])

        for node, run in self._runs.items():
            before = run.stretches[0].state
            if node not in behind and before is not None and any(e.target in behind for e in node.edges):
                leave(node, self._walk(run, differing.part(before), differing, trials, keep=False))
        while work:
            node = nodes[heapq.heappop(work)]
            leave(node, self._walk(self._runs[node], entry[node], differing, trials, keep=False))
        return entry

    def _along(self, edge: Edge, facts: Facts, differing: Differing) -> Facts:
        """Return what is known behind `edge`."""
        if not edge.passes and not edge.leaves and edge.skips is None:
            return facts
        given = facts.copy()
        for target, source in edge.passes:
            given.done[target.index] = facts.done.get(source.index, 0)
        for left in (*edge.leaves, edge.skips):
            if left is not None:
                given.surely |= self.flow.memory.written_in.get(left, 0) & differing.sites
        return given

    def _walk(
        self,
        run: Run,
        facts: Facts,
        differing: Differing,
        trials: dict[Stretch, State],
        *,
        keep: bool,
    ) -> Facts:
        """Return what is known at the end of a node, where `facts` are before it; with `keep`, make it what
        is known of its stretches, and note what is wrong where it matters."""
        groups = dict(_edited(run.stretches))
        number, count = 0, len(run.stretches)
        before = run.stretches[0].state
        assert before is not None
        old = differing.part(before)
        while number < count:
            stretch, last = run.stretches[number], groups.get(number, number + 1)
            state, after = stretch.state, run.state_behind(last - 1)
            assert state is not None
            assert after is not None
            following = differing.part(after)
            is_other = facts != old
            if number in groups:
                end = None if is_other else trials.get(stretch)
                if end is None:
                    state = self._given(differing, facts, state, keep=keep)
                    end = self._through(run.stretches[number:last], state.copy(), report=keep)
                facts = differing.part(end)
                facts.done = _done_on(facts.done, run.stretches[last - 1].behind)
            elif is_other:
                known = self._passage(stretch)
                surely = state.surely
                if known is None or self._is_otherwise(known, stretch, old, facts, differing):
                    state = self._given(differing, facts, state, keep=keep)
                    end = self._through([stretch], state.copy(), report=keep)
                    facts = differing.part(end)
                    facts.done = _done_on(facts.done, stretch.behind)
                else:
                    if keep:
                        self._wait(known, old, facts, differing)
                        differing.give(facts, state)
                        if self._is_noted(known, old, facts, differing, surely):
                            self._through([stretch], state.copy(), report=True)
                    facts = self._past(known, stretch, old, facts, following, differing)
            else:
                facts = following
            old = following
            number = last
            spend(1)
        if keep and run.after is not None:
            differing.give(facts, run.after)
        return self._at_end(run, facts)

    def _given(self, differing: Differing, facts: Facts, state: State, *, keep: bool) -> State:
        """Return `state` with these facts; with `keep`, it is another itself."""
        state = state if keep else state.copy()
        differing.give(facts, state)
        return state

    def _at_end(self, run: Run, facts: Facts) -> Facts:
        """Return what is known where control goes on: nothing of what only the node knows and is gone."""
        if not run.local or run.after is None:
            return facts
        facts, handles = facts.copy(), len(self._function.handles)
        for index in run.local:
            if index >= handles or not facts.life.get(index, run.after.life[index]) & LIVE:
                facts.done.pop(index, None)
                if index in facts.life:
                    facts.life[index] = 0
        return facts

    def _passage(self, stretch: Stretch) -> Passage | None:
        if not stretch.is_read:
            stretch.passage, stretch.is_read = passage(self.flow, stretch.steps, stretch.before), True
            spend(len(stretch.steps) // 2)
        return stretch.passage

    def _is_otherwise(
        self, known: Passage, stretch: Stretch, old: Facts, new: Facts, differing: Differing
    ) -> bool:
        """Tell whether a stretch does something else to what `new` facts before it are about than it did with
        `old` ones."""
        others = differing.others(old, new)
        return bool(
            others & known.starts
            or any(old.life[n] != life and stretch.mentioned.all >> n & 1 for n, life in new.life.items())
            or (
                new.freed
                and any(
                    old.freed[b.index] != new.freed[b.index] or (old.owned ^ new.owned) >> b.index & 1
                    for b in known.buffers
                    if b.index in new.freed
                )
            )
            or any(others & self._touching(False, (buffer,)) for buffer in known.made)
            or any(others & self.flow.memory.depending.get(value, 0) for value in known.renewed)
        )

    def _is_noted(self, known: Passage, old: Facts, new: Facts, differing: Differing, surely: int) -> bool:
        """Tell whether what is wrong in a stretch may be something else with `new` facts before it than with
        `old` ones; `surely` are the writes that had been done before."""
        others, memory, sites = differing.others(old, new), self.flow.memory, differing.sites
        for touch in known.touches:
            mask = others & self._touching(touch.is_read, touch.buffers)
            if mask and mask & (old.pending(touch.after) ^ new.pending(touch.after)):
                return True
        differ = old.writes(new)
        return any(
            buffer.device
            and buffer in known.buffers
            and not self._is_written_besides(
                memory.writes[site], sites, surely & (surely & ~sites | new.surely)
            )
            for site in (bits_of(differ) if differ else ())
            for buffer in memory.writes[site].buffer.all
        )

    def _touching(self, is_read: bool, buffers: Sequence[Buffer]) -> int:
        """Return the accesses, also those that are gone, that may not be done beside an access of
        `buffers`."""
        known, found = self.flow.memory.writing if is_read else self.flow.memory.touching, 0
        for buffer in buffers:
            found |= known.get(buffer, 0) | self._conflicts.get((is_read, buffer), 0)
        return found

    def _is_written_besides(self, access: Access, sites: int, surely: int) -> bool:
        """Tell whether what `access` writes is surely written by another write than those that differ
        (`sites`), too, if anybody asks; `surely` have been done either way."""
        memory = self.flow.memory
        known = memory.writers.get(access.buffer, 0) & surely & ~sites
        if abs(known.bit_count() - MOST_WRITES) <= sites.bit_count():
            return False  # One more or less may decide whether bytes are compared.
        found = self._instead.get(access)
        if found is None:
            same = (access.region, access.parts, access.threads)
            found = self._instead[access] = next(
                (
                    site
                    for site in bits_of(known)
                    if (write := memory.writes[site]).buffer is access.buffer
                    and (write.region, write.parts, write.threads) == same
                    and not write.symbols
                ),
                -1,
            )
            spend(1 + known.bit_count() // 8)
        return found >= 0 and bool(known >> found & 1)

    def _past(
        self,
        known: Passage,
        stretch: Stretch,
        old: Facts,
        new: Facts,
        following: Facts,
        differing: Differing,
    ) -> Facts:
        """Return what is known behind a stretch that is not concerned, with `new` facts before it, where with
        `old` ones it was `following`."""
        others, writes = differing.others(old, new), old.writes(new)
        stay = ~others
        host = new.host & others
        for index in bits_of(known.host):
            host |= new.done.get(index, 0) & others
        done: dict[int, int] = {}
        for index in following.done.keys() | new.done.keys() | known.done.keys():
            if not stretch.behind >> index & 1:
                continue
            mask = new.done.get(index, 0)
            if index in known.done:
                mask = 0
                for source in bits_of(known.done[index]):
                    mask |= new.done.get(source, 0)
            elif (differing.anew & ~stretch.had) >> index & 1:
                done[index] = mask
                continue
            mask = following.done.get(index, 0) & stay | mask & others & ~host
            if mask:
                done[index] = mask
        for buffer in known.made:
            writes &= ~self.flow.memory.writers.get(buffer, 0)
        ways = {n: life if old.life[n] != life else following.life[n] for n, life in new.life.items()}
        freed = {n: mask if old.freed[n] != mask else following.freed[n] for n, mask in new.freed.items()}
        owned = old.owned ^ new.owned
        return Facts(
            following.host & stay | host,
            following.seen & stay | new.seen & others,
            following.fresh & stay | new.fresh & others,
            following.stale & stay | new.stale & others,
            done,
            ways,
            freed,
            following.owned & ~owned | new.owned & owned,
            following.written & ~writes | new.written & writes,
            following.surely & ~writes | new.surely & writes,
        )

    def _wait(self, known: Passage, old: Facts, new: Facts, differing: Differing) -> None:
        """Let the function know which accesses may still run where the host does something in a stretch."""
        others, pending = differing.others(old, new), self._function.pending
        for op, after in known.by_host:
            pending[op] = pending[op] & ~others | new.pending(after) & others


def _wanted(state: State, wanted: int) -> State:
    """Return a copy of `state` without what was done on streams that nobody asks any more."""
    twin = state.copy()
    twin.done = _done_on(twin.done, wanted)
    return twin


def _done_on(done: dict[int, int], wanted: int) -> dict[int, int]:
    """Return what was done, of these streams and events alone."""
    return {index: mask for index, mask in done.items() if wanted >> index & 1}


def _forget(state: State, unwanted: int) -> None:
    """Let `state` not say any more what was done on these streams and events."""
    for index in bits_of(unwanted):
        state.done.pop(index, None)


def _same(before: dict[Goal, int], notes: dict[Goal, int]) -> dict[Goal, int]:
    """Return `notes` with the goals of `before` where they are the same: by these it is kept what came of
    them."""
    known = dict(zip(before, before, strict=True))  # This takes the hashes that the goals have already.
    found: dict[Goal, int] = {}
    for goal, mask in notes.items():
        was = known.get(goal)
        same = was is not None and (was.first, was.second, was.site) == (goal.first, goal.second, goal.site)
        found[was if same and was is not None else goal] = mask
    return found


def _edited(stretches: Sequence[Stretch]) -> Iterator[tuple[int, int]]:
    """Yield where rows of edited stretches begin, and end."""
    first = -1
    for number, stretch in enumerate(stretches):
        if stretch.is_edited and first < 0:
            first = number
        elif not stretch.is_edited and first >= 0:
            yield first, number
            first = -1
    if first >= 0:
        yield first, len(stretches)


def _reachable(nodes: Sequence[Node]) -> set[Node]:
    """Return all that a path of at least one edge leads to from `nodes`."""
    found, work = set[Node](), [*nodes]
    while work:
        for edge in work.pop().edges:
            if edge.target not in found:
                found.add(edge.target)
                work.append(edge.target)
    return found
