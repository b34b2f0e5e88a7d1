"""Tasks: bodies of async.execute, which run concurrently with the function until awaited."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

_SLOTS = 2
"""Slots per task: one for the host's facts when the task begins, one for the facts when the task ends."""


class Tasks:
    """Numbers the tasks of a function whose tokens do not escape; any other async.execute runs in place."""

    def __init__(self, ops: Iterable[Operation], first_slot: int) -> None:
        self.slots = first_slot
        self.known: dict[Operation, int] = {}
        self.in_group: dict[SSAValue, list[int]] = {}
        for op in ops:
            if op.name == "async.execute" and op.results and _is_tracked(op):
                self.known[op] = self.slots
                self.slots += _SLOTS
                for use in op.results[0].uses:
                    if use.operation.name == "async.add_to_group":
                        self.in_group.setdefault(use.operation.operands[1], []).append(self.known[op])

    def number(self, execute: Operation) -> int | None:
        """Return the first slot of a task, or None if `execute` is modeled as running in place."""
        return self.known.get(execute)

    def before(self, execute: Operation) -> tuple[int, ...]:
        """Return the tasks that the task `execute` depends on."""
        return tuple(n for v in execute.operands if (n := self._of(v)) is not None)

    def awaited(self, op: Operation) -> tuple[int, ...]:
        """Return the tasks that the host waits for at `op`."""
        if op.name == "async.await":
            found = self._of(op.operands[0])
            return (found,) if found is not None else ()
        if op.name == "async.await_all":
            return tuple(self.in_group.get(op.operands[0], ()))
        return ()

    def around(self, op: Operation) -> bool:
        """Return whether `op` is in the body of a task."""
        parent = op.parent_op() if self.known else None
        while parent is not None:
            if parent in self.known:
                return True
            parent = parent.parent_op()
        return False

    def _of(self, value: SSAValue) -> int | None:
        owner = value.owner
        return self.known.get(owner) if isinstance(owner, Operation) else None


def _is_tracked(execute: Operation) -> bool:
    for number, result in enumerate(execute.results):
        for use in result.uses:
            op = use.operation
            if op.name in ("async.await", "async.execute"):
                continue
            if number == 0 and op.name == "async.add_to_group" and use.index == 0:
                users = {u.operation.name for u in op.operands[1].uses}
                if users <= {"async.add_to_group", "async.await_all"}:
                    continue
            return False
    return True
