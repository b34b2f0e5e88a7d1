"""What becomes of accesses that were started earlier on their way through a stretch of steps.

An access is done before what comes next on a stream if it was done on one of the streams that this one has
waited for, whatever access it is. So a stretch is gone through once, with a bit for each stream and event,
and what comes of it holds for all accesses that others start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import Action, Step, bits_of
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.terms import Mode

_OTHERWISE = frozenset({Action.DEFINE, Action.SYNCHRONIZE, Action.END_TASK})
"""Steps by which more or less is done than one stream has waited for."""


class Touch(NamedTuple):
    """Steps that touch the same memory when the same is done."""

    is_read: bool
    buffers: tuple[Buffer, ...]
    after: int
    """The streams and events before the stretch, as a mask: what was done on one of them is done."""


class Passage(NamedTuple):
    """What a stretch does to accesses that it does not start. Masks are those of streams and events."""

    host: int
    """What was done on one of these is known to the host behind the stretch."""
    done: dict[int, int]
    """Per stream and event that something happens to: what was done on one of these is done on it."""
    touches: tuple[Touch, ...]
    by_host: tuple[tuple[Operation, int], ...]
    """The ops at which the host does something, with what it has waited for since the beginning."""
    made: frozenset[Buffer]
    """Buffers that are allocated: what has touched those of that name before is done."""
    renewed: frozenset[SSAValue]
    """Values that get others, on which the places of accesses may depend."""
    buffers: frozenset[Buffer]
    """All memory that is touched, made or freed."""
    starts: int
    """The accesses that are started, as a mask."""

    def moved(self, move: Callable[[int], int]) -> Passage:
        """Return the same by other numbers: `move` gives a mask of streams and events its bits by these."""
        return self._replace(
            host=move(self.host),
            done={to.bit_length() - 1: move(mask) for n, mask in self.done.items() if (to := move(1 << n))},
            touches=tuple(touch._replace(after=move(touch.after)) for touch in self.touches),
            by_host=tuple((op, move(mask)) for op, mask in self.by_host),
        )


def passage(flow: Flow, steps: Sequence[Step], before: int) -> Passage | None:
    """Return what `steps` do to accesses that others start, where the streams and events `before` may have
    some that are done; None where that depends on the accesses."""
    if any(step.action in _OTHERWISE for step in steps):
        return None
    base = len(flow.function.accesses)
    numbers = [*bits_of(before)]
    own = {number: 1 << (base + n) for n, number in enumerate(numbers)}
    state = flow.start()
    state.done = own.copy()

    def sources(mask: int) -> int:
        found = 0
        for n in bits_of(mask >> base):
            found |= 1 << numbers[n]
        return found

    touches: dict[Touch, None] = {}
    by_host: dict[Operation, int] = {}
    made, renewed, buffers, starts = set[Buffer](), set[SSAValue](), set[Buffer](), 0
    for step in steps:
        if step.accesses:
            after = sources(flow.work.done_before(step, state))
            for access in step.accesses:
                touches[Touch(access.mode is Mode.READ, access.buffer.all, after)] = None
                buffers.update(access.buffer.all)
                starts |= 1 << access.bit if access.bit >= 0 else 0
        if step.action is Action.HOST:
            by_host[step.op] = sources(state.host)
        elif step.buffer is not None:
            made.add(step.buffer)
        elif step.value is not None:
            renewed.add(step.value)
        if step.action is not Action.ENQUEUE:
            flow.step(step, state)
    done = {number: sources(mask) for number, mask in state.done.items() if mask != own.get(number)}
    return Passage(
        sources(state.host),
        done,
        tuple(touches),
        tuple(by_host.items()),
        frozenset(made),
        frozenset(renewed),
        frozenset(buffers | made),
        starts,
    )
