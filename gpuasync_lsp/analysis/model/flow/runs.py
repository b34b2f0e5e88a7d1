"""How the nodes of a function were run: stretches of their steps, with the facts between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gpuasync_lsp.analysis.model.flow.mentions import Mentioned
from gpuasync_lsp.analysis.model.flow.passage import Passage
from gpuasync_lsp.analysis.model.function import Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.state import State


@dataclass(eq=False, slots=True)
class Stretch:
    """Some steps in a row, and how they were run."""

    steps: list[Step]
    state: State | None = None
    """The facts before it; None where no path comes."""
    notes: dict[Goal, int] = field(default_factory=dict[Goal, int])
    mentioned: Mentioned = field(default_factory=Mentioned)
    behind: int = 0
    """The streams and events that matter behind it."""
    before: int = 0
    """Those that matter in it, or behind it."""
    had: int = 0
    known: int = 0
    """What mattered in it and behind it, and behind it, before an edit: of this, facts were kept."""
    passage: Passage | None = None
    is_read: bool = False
    """Whether `passage` is known, or known to be none."""
    is_edited: bool = False


@dataclass(eq=False, slots=True)
class Run:
    """A node and how it was run."""

    steps: list[Step]
    """As they were then."""
    stretches: list[Stretch]
    after: State | None = None
    """The facts at its end."""
    notes: dict[Goal, int] = field(default_factory=dict[Goal, int])
    """What is wrong where it leaves the function."""
    local: list[int] = field(default_factory=list[int])
    """The streams and events that only this node knows."""
    behind: int = 0
    """Those that matter behind it."""

    def state_behind(self, number: int) -> State | None:
        """Return the facts behind stretch `number`."""
        return self.stretches[number + 1].state if number + 1 < len(self.stretches) else self.after

    def mentioned(self) -> Mentioned:
        """Return what its steps mention."""
        every = made = 0
        for stretch in self.stretches:
            made |= stretch.mentioned.made & ~every
            every |= stretch.mentioned.all
        return Mentioned(every, made)

    def cut(self, end: list[Step]) -> tuple[Run, State | None]:
        """Let go of the stretches in which `end` begins, and of what is behind them; return these as those of
        another node, and the facts between the two."""
        at = len(self.steps)
        for old, new in zip(reversed(self.steps), reversed(end), strict=False):
            if old is not new:
                break
            at -= 1
        number, begin = len(self.stretches) - 1, len(self.steps) - len(self.stretches[-1].steps)
        while begin > at:
            number -= 1
            begin -= len(self.stretches[number].steps)
        rest = Run(self.steps[begin:], self.stretches[number:], self.after, self.notes, [], self.behind)
        first = rest.stretches[0]
        del self.steps[begin:], self.stretches[number:]
        self.stretches.append(untouched(first.state, first.before))
        self.after, self.notes, self.behind = _copied(first.state), {}, first.before
        return rest, first.state

    def take(self, end: Run, most: int, seen: Callable[[list[Step]], Mentioned]) -> None:
        """Go on with what was known of another node; stretches together of `most` steps become one, `seen`
        says what they mention."""
        self.steps += end.steps
        last, first = self.stretches[-1], end.stretches[0]
        if len(last.steps) + len(first.steps) <= most:
            steps = last.steps + first.steps
            notes, wanted = last.notes | first.notes, (first.behind, last.before)
            both = Stretch(steps, last.state, notes, seen(steps), *wanted)
            self.stretches[-1:] = [both, *end.stretches[1:]]
        else:
            self.stretches += end.stretches
        self.after, self.notes, self.behind = end.after, end.notes, end.behind


def untouched(state: State | None, wanted: int) -> Stretch:
    """Return a stretch of no steps, where these facts hold, and such streams and events matter."""
    return Stretch([], _copied(state), behind=wanted, before=wanted)


def _copied(state: State | None) -> State | None:
    return None if state is None else state.copy()
