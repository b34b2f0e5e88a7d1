"""Which steps of a function decide whether a path comes to a goal.

Work on streams and uses by the host that free nothing change what is known of their own accesses alone:
whether two others race, or what becomes of a handle, does not depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Edge, Node, Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.terms import Mode

Frame = tuple[tuple[Node, tuple[Step, ...], tuple[Edge, ...]], ...]
"""Per node: its steps that are no mere work, and its edges."""


class _Cut(NamedTuple):
    """The steps of one node."""

    steps: list[Step]
    frame: list[int]
    """Where those stand that are no mere work."""
    work: dict[Operation, list[int]]
    """Per op: where its mere work stands."""


class Slices:
    """The steps of one function, as a goal sees them; those `before` an edit are taken over where they
    stay."""

    def __init__(self, function: AsyncFunction, before: Slices | None = None) -> None:
        known: dict[Node, _Cut] = before._cuts if before is not None else {}
        self._cuts: dict[Node, _Cut] = {}
        self._nodes: dict[Operation, list[Node]] = before._nodes.copy() if before is not None else {}
        """Per op: the nodes in which its mere work stands."""
        for node in function.nodes:
            was = known.get(node)
            self._cuts[node] = _cut(node.steps) if was is None or was.steps != node.steps else was
        for node, was in known.items():
            for op in was.work if self._cuts.get(node) is not was else ():
                self._nodes[op] = [other for other in self._nodes[op] if other is not node]
        for node, cut in self._cuts.items():
            for op in cut.work if known.get(node) is not cut else ():
                self._nodes[op] = sorted((*self._nodes.get(op, ()), node), key=lambda each: each.index)
        self._steps: dict[Node, Sequence[Step]] = {
            node: [node.steps[number] for number in cut.frame] for node, cut in self._cuts.items()
        }
        self.frame: Frame = tuple(
            (node, tuple(steps), tuple(node.edges)) for node, steps in self._steps.items()
        )
        """What each search depends on besides the work of its goal, but for goals about buffers."""

    def own(self, goal: Goal) -> tuple[Step, ...]:
        """Return the mere work of the ops that `goal` is about."""
        return tuple(
            node.steps[number]
            for op in _ops(goal)
            for node in self._nodes.get(op, ())
            for number in self._cuts[node].work[op]
        )

    def of(self, goal: Goal) -> dict[Node, Sequence[Step]]:
        """Return the steps of each node that decide whether a path comes to `goal`."""
        if goal.buffer is not None:
            return {node: node.steps for node in self._cuts}  # All that writes the buffer counts.
        own: dict[Node, list[int]] = {}
        for op in _ops(goal):
            for node in self._nodes.get(op, ()):
                own.setdefault(node, []).extend(self._cuts[node].work[op])
        found = self._steps.copy()
        for node, numbers in own.items():
            found[node] = [node.steps[number] for number in sorted((*self._cuts[node].frame, *numbers))]
        return found


def _cut(steps: Sequence[Step]) -> _Cut:
    frame: list[int] = []
    work: dict[Operation, list[int]] = {}
    for number, step in enumerate(steps):
        if is_mere_work(step):
            work.setdefault(step.op, []).append(number)
        else:
            frame.append(number)
    return _Cut([*steps], frame, work)


def _ops(goal: Goal) -> tuple[Operation, ...]:
    first = goal.first_op
    return (goal.op,) if first is None or first is goal.op else (first, goal.op)


def is_mere_work(step: Step) -> bool:
    """Tell whether `step` changes nothing but what is known of its own accesses."""
    return step.action in (Action.ENQUEUE, Action.HOST) and not any(
        access.mode is Mode.FREE or access.op is not step.op for access in step.accesses
    )
