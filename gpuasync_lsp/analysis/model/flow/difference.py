"""What an edit changes of what facts are about: streams, events and accesses that came and went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuasync_lsp.analysis.model.flow.mentions import moved
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import WORK, Access, Action, AsyncFunction, Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.state import State

_TOUCH = WORK | {Action.HOST}
"""What touches memory, and neither makes nor ends a stream or event."""


class Counted:
    """The handles, events and buffers that facts are about."""

    def __init__(self, function: AsyncFunction) -> None:
        self._function = function
        self._handles, self._events = function.handles.copy(), function.events
        self._buffers = function.buffers.copy()

    @property
    def has_other_buffers(self) -> bool:
        """Whether the function has other buffers now."""
        return self._function.buffers != self._buffers

    def count_buffers(self, states: Iterable[State]) -> None:
        """Let the facts of `states` be about the buffers that the function has now."""
        old, new = self._buffers, self._function.buffers
        known, now = {*old}, {*new}
        gone = [number for number, buffer in enumerate(old) if buffer not in now]
        made = [number for number, buffer in enumerate(new) if buffer not in known]
        for state in states:
            for number in reversed(gone):
                del state.freed[number]
            for number in made:
                state.freed.insert(number, 0)
            state.owned, state.many = moved(state.owned, gone, made), moved(state.many, gone, made)
        self._buffers = new.copy()

    def anew(
        self, flow: Flow, states: Iterable[State], *, waited: bool
    ) -> tuple[list[int], list[int], list[int]] | None:
        """Let the facts of `states` be about the handles and events that the function has now; return the
        numbers of those that are gone, those of handles that are new, and of all that are. None where all are
        as before and no wait came or went (`waited`).

        Events that are gone keep their numbers."""
        function = self._function
        old, new = self._handles, function.handles
        known, now = {*old}, {*new}
        gone = [number for number, handle in enumerate(old) if handle not in now]
        made = [number for number, handle in enumerate(new) if handle not in known]
        events = function.events - self._events
        if not gone and not made and not events and not waited:
            return None
        for state in states:
            for number in reversed(gone):
                del state.life[number]
            for number in made:
                state.life.insert(number, 0)
            state.life += [0] * events
            if gone or made:
                state.done = {
                    to.bit_length() - 1: mask
                    for index, mask in state.done.items()
                    if (to := moved(1 << index, gone, made))
                }
        self._handles, self._events = new.copy(), function.events
        flow.recount()
        return gone, made, [*made, *range(len(new) + function.events - events, len(new) + function.events)]


def come_and_gone(old: Sequence[Step], new: Sequence[Step]) -> tuple[list[Access], list[Access]]:
    """Return the accesses of the steps `old` that are not among those of `new`, and the other way round."""
    gone = dict.fromkeys(access for step in old for access in step.accesses)
    made = dict.fromkeys(access for step in new for access in step.accesses)
    return [access for access in gone if access not in made], [a for a in made if a not in gone]


def together(noted: Sequence[dict[Goal, int]]) -> dict[Goal, int]:
    """Put together what was noted in parts of a function."""
    found: dict[Goal, int] = {}
    for notes in noted:
        found.update(notes)  # This takes the hashes that the goals have already.
    if len(found) == sum(map(len, noted)):
        return found
    found.clear()
    for notes in noted:
        both = found | notes
        if len(both) < len(found) + len(notes):
            for goal in notes:
                both[goal] |= found.get(goal, 0)
        found = both
    return found


def waits(steps: Iterable[Step]) -> bool:
    """Tell whether one of `steps` does something else than to touch memory."""
    return any(step.action not in _TOUCH for step in steps)


def renumber(flow: Flow, gone: Iterable[Access], made: Iterable[Access]) -> None:
    """Let the accesses that are gone be none any more, and those that were made have numbers."""
    if flow.function.accesses_in_order:
        flow.function.accesses_in_order = False
        flow.function.first_of_edits = len(flow.function.accesses)
    for access in gone:
        flow.memory.forget(access)
    for access in made:
        flow.memory.number(access)


def is_simple(access: Access) -> bool:
    """Tell whether facts about `access` are about nothing else, so that it may come and go."""
    return not access.buffer.is_name and not access.task
