"""Which steps of a function decide whether a path comes to a goal.

Work on streams and uses by the host that free nothing change what is known of their own accesses alone:
whether two others race, or what becomes of a handle, does not depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Edge, Node, Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.terms import Mode

Frame = tuple[tuple[Node, tuple[Step, ...], tuple[Edge, ...]], ...]
"""Per node: its steps that are no mere work, and its edges."""


class Slices:
    """The steps of one function, as a goal sees them."""

    def __init__(self, function: AsyncFunction) -> None:
        self._frames: dict[Node, list[int]] = {}
        self._work: dict[Operation, dict[Node, list[int]]] = {}
        """Per op: where its mere work stands."""
        for node in function.nodes:
            frame = self._frames[node] = []
            for number, step in enumerate(node.steps):
                if not _is_mere_work(step):
                    frame.append(number)
                    continue
                self._work.setdefault(step.op, {}).setdefault(node, []).append(number)
        self._steps: dict[Node, Sequence[Step]] = {
            node: [node.steps[number] for number in frame] for node, frame in self._frames.items()
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
            for node, numbers in self._work.get(op, {}).items()
            for number in numbers
        )

    def of(self, goal: Goal) -> dict[Node, Sequence[Step]]:
        """Return the steps of each node that decide whether a path comes to `goal`."""
        if goal.buffer is not None:
            return {node: node.steps for node in self._frames}  # All that writes the buffer counts.
        own: dict[Node, list[int]] = {}
        for op in _ops(goal):
            for node, numbers in self._work.get(op, {}).items():
                own.setdefault(node, []).extend(numbers)
        found = self._steps.copy()
        for node, numbers in own.items():
            found[node] = [node.steps[number] for number in sorted((*self._frames[node], *numbers))]
        return found


def _ops(goal: Goal) -> tuple[Operation, ...]:
    first = goal.first_op
    return (goal.op,) if first is None or first is goal.op else (first, goal.op)


def _is_mere_work(step: Step) -> bool:
    return step.action in (Action.ENQUEUE, Action.HOST) and not any(
        access.mode is Mode.FREE or access.op is not step.op for access in step.accesses
    )
