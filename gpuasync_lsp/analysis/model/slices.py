"""Slices: the steps of a function that decide whether a path reaches a goal.

A step is an action of the lowered host program (`Step`), a goal a possible problem at an op (`Goal`).

The state of a stream or event depends only on steps that use it, and a race of two accesses only on steps
between them. All steps may matter if handles are opaque, if memrefs may refer to several buffers, and for
goals about buffers. A step that only accesses memory changes only facts about its own accesses, so it does
not matter for goals about other accesses.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Handle, Kind, Node, Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text.cached_property import cached_property

_Thing = Handle | int
"""A stream, or an event by its number."""
_TASKS = frozenset({Action.BEGIN_TASK, Action.END_TASK, Action.AWAIT_TASK})


class _Cut(NamedTuple):
    """The steps of one node, as indices."""

    frame: list[int]
    """Steps that do more than access memory."""
    of_op: dict[Operation, list[int]]
    about: dict[_Thing, list[int]]
    """The steps of `frame` that use each stream or event."""


class View:
    """The steps that matter for a group of goals, in addition to the steps of the goals' own ops."""

    def __init__(self, things: frozenset[_Thing] | None, nodes: int) -> None:
        self.things = things
        """The streams and events whose steps matter; None if all matter."""
        self.nodes = nodes
        """The mask of nodes whose steps matter."""


class Slices:
    """Computes which steps of a function can affect each goal; goals with the same slice share it."""

    def __init__(self, function: AsyncFunction) -> None:
        self._nodes = function.nodes
        self._cuts = {node: _cut(node.steps) for node in function.nodes}
        self._where: dict[Operation | _Thing, list[Node]] = {}
        """The nodes that contain steps of an op, or steps that use a stream or event."""
        for node, cut in self._cuts.items():
            for key in (*cut.of_op, *cut.about):
                self._where.setdefault(key, []).append(node)
        self._is_plain = not (
            function.names_of_memory or any(handle.kind is Kind.OPAQUE for handle in function.handles)
        )
        """Whether no stream and no buffer may have an alias."""
        self.weight = 4 + 8 * (len(function.handles) // 32)
        """The cost of copying the facts at a node, in steps."""
        self._steps = dict[View, dict[Node, Sequence[Step]]]()
        self._views = dict[object, View]()

    def _view(self, goal: Goal) -> View | None:
        """Return the view for `goal`; None if all steps matter, which is the case for goals about buffers."""
        if goal.buffer is not None:
            return None
        key: object = None
        things: frozenset[_Thing] | None = None
        if self._is_plain and goal.handle is not None:
            key = things = frozenset({goal.handle, goal.event if goal.event >= 0 else goal.handle})
        elif self._is_plain and goal.first_op is not None:
            key = tuple(tuple(self._where.get(op, ())) for op in (goal.first_op, goal.op))
        view = self._views.get(key)
        if view is None:
            nodes = self._between(goal.first_op, goal.op) if things is None and key is not None else -1
            view = self._views[key] = View(things, nodes)
        return view

    def of(self, goal: Goal) -> Mapping[Node, Sequence[Step]]:
        """Return, per node, the steps that decide whether a path reaches `goal`."""
        view = self._view(goal)
        if view is None:
            return {node: node.steps for node in self._nodes}  # All writes to the buffer matter.
        found = self._steps.get(view)
        if found is None:
            found = self._steps[view] = {
                node: [node.steps[number] for number in self._numbers(view, node)] for node in self._nodes
            }
        own: dict[Node, list[int]] = {}
        for node, number in self._own(goal):
            own.setdefault(node, []).append(number)
        return found | {node: self._with_own(view, goal, node, numbers) for node, numbers in own.items()}

    def _with_own(self, view: View, goal: Goal, node: Node, own: Sequence[int]) -> Sequence[Step]:
        """Return the steps of `node` that matter, including the steps `own` of the goal's ops.

        If no path visits the node twice, only the steps between the goal's ops matter."""
        numbers = self._numbers(view, node)
        if view.things is None and view.nodes >= 0 and not self._reachable[node] >> node.index & 1:
            ops = {node.steps[number].op for number in own}
            if goal.first_op in ops:
                numbers = numbers[bisect_left(numbers, min(own)) :]
            if goal.op in ops:
                numbers = numbers[: bisect_right(numbers, max(own))]
        return [node.steps[number] for number in sorted({*numbers, *own})]

    def _numbers(self, view: View, node: Node) -> Sequence[int]:
        """Return the indices of the steps of `node` that matter in `view`."""
        cut = self._cuts[node]
        if view.things is None:
            return cut.frame if view.nodes >> node.index & 1 else ()
        return sorted({number for thing in view.things for number in cut.about.get(thing, ())})

    def _own(self, goal: Goal) -> Iterator[tuple[Node, int]]:
        first = goal.first_op
        for op in (goal.op,) if first is None or first is goal.op else (first, goal.op):
            for node in self._where.get(op, ()):
                for number in self._cuts[node].of_op[op]:
                    yield node, number

    def _between(self, first: Operation | None, last: Operation) -> int:
        """Return the mask of nodes on paths from the op `first` to the op `last`."""
        begins, ends = (self._where.get(op, ()) for op in (first, last) if op is not None)
        behind = mask = 0
        for node in begins:
            behind |= self._reachable[node] | 1 << node.index
        goals = sum(1 << node.index for node in ends)
        for node in self._nodes:
            if behind >> node.index & 1 and (self._reachable[node] | 1 << node.index) & goals:
                mask |= 1 << node.index
        return mask

    @cached_property
    def _reachable(self) -> dict[Node, int]:
        """For each node, the mask of the nodes reachable from it through at least one edge."""
        found = dict.fromkeys(self._nodes, 0)
        before: dict[Node, list[Node]] = {}
        for node in self._nodes:
            for edge in node.edges:
                before.setdefault(edge.target, []).append(node)
        work = [*self._nodes]
        while work:
            node = work.pop()
            mine = found[node] | 1 << node.index
            for other in before.get(node, ()):
                if mine & ~found[other]:
                    found[other] |= mine
                    work.append(other)
        return found


def _is_mere_work(step: Step) -> bool:
    """Return whether `step` only accesses memory, and so changes only facts about its own accesses."""
    if step.action is Action.COMPLETE:
        follows = step.handle is not None or step.behind or (step.source is not None and step.source.deps)
    else:
        follows = step.action not in (Action.ENQUEUE, Action.HOST)
    return not follows and not any(
        access.mode is Mode.FREE or access.op is not step.op for access in step.accesses
    )


def _cut(steps: Sequence[Step]) -> _Cut:
    cut = _Cut([], {}, {})
    for number, step in enumerate(steps):
        cut.of_op.setdefault(step.op, []).append(number)
        if not _is_mere_work(step):
            cut.frame.append(number)
            for thing in _named(step):
                cut.about.setdefault(thing, []).append(number)
    return cut


def _named(step: Step) -> Iterable[_Thing]:
    """Return the streams and events that `step` uses."""
    event = (step.event,) if step.event >= 0 and step.action not in _TASKS else ()
    return dict.fromkeys((*(handle for handle in (step.handle, step.other) if handle is not None), *event))
