"""The picture of a function's streams, as plain data: rows in text order, a lane per stream, what links them.

Rows are numbered from the top; row *i* is `picture.rows[i]`. Lane 0 is the host. Renderers read nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from gpuasync_lsp.reporting.terminal import printable
from gpuasync_lsp.text import Severity, Span

HOST = 0
"""The number of the host's lane."""


RACES = frozenset({"GA301", "GA302", "GA303", "GA304", "GA309"})
"""Findings about two accesses that nothing orders, or that come in the wrong order: drawn as a line."""


class Fate(Enum):
    """How the life of a lane ends."""

    DESTROYED = "destroyed"
    LEAKED = "leaked"
    LEAKED_SOMETIMES = "leaked on some path"
    ESCAPES = "escapes"
    NONE = ""
    """No status: the host, the null stream, an unused event."""


class Does(Enum):
    """What a row does in its lane."""

    GIVEN = "given"
    """A stream or an event of the caller, an argument of the function."""
    CREATE = "begin"
    """A stream begins."""
    JOIN = "join"
    """A stream begins after the events that it waits for."""
    WORK = "work"
    """An op on the lane."""
    MEMORY = "memory"
    """An allocation or a free: made by the host, listed where its token is."""
    EVENT = "event"
    """A value arrives that gpu-to-llvm takes for an event."""
    WAIT = "wait"
    """The host waits."""
    HOST = "host"
    """Host code that uses streams or their buffers."""
    YIELD = "yield"
    """A token leaves its async region."""
    GROUP = "group"
    """The beginning of a loop, a branch or a block."""
    END = "end"
    """The function returns."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of the text: offsets in code points, and the line and column (from 0) where it starts."""

    span: Span
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A finding that shows in a row."""

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    others: tuple[int, ...] = ()
    """The other rows that it is about: the other access of a race, the first of two waits."""


@dataclass(frozen=True, slots=True)
class Row:
    """One op, or the head of a group."""

    lane: int
    does: Does
    label: str
    """What happens, in the source's names: `memcpy %back ← %front`."""
    token: str
    """The name of the token that it defines, or an empty text."""
    source: str
    """The op as written, on one line."""
    place: Place
    depth: int = 0
    """How many groups it is in."""
    waits: tuple[int, ...] = ()
    """Lanes that the host waits for here, once per operand; the bar of the row."""
    destroys: bool = False
    """Whether the wait also destroys what it waits for."""
    left: str = ""
    """Why the op stays unlowered, or an empty text."""
    removed: bool = False
    """Whether the greedy rewrite removes the op before the conversion."""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Lane:
    """The host, a stream, or what else a token stands for."""

    name: str
    """`host`, `stream 0`, `caller's stream %s`, `stream 0 as event`, `event`, `null stream` ..."""
    token: str
    """The first token of it, as the source calls it."""
    is_stream: bool
    """Whether the function creates a stream for it."""
    place: Place | None
    first: int
    """The row in which it begins."""
    last: int
    """The last row that concerns it; a leaked one continues to the end."""
    fate: Fate
    detail: str = ""
    """A further note on it."""
    count: int = 1
    """How many streams it stands for, where those that are alike are drawn as one."""
    given: str = ""
    """What the caller gives, `stream` or `event`; empty for what the function makes itself."""

    @property
    def other_token(self) -> str:
        """The token, where the name does not say it already."""
        return "" if self.token and self.name.endswith(self.token) else self.token


@dataclass(frozen=True, slots=True)
class Arrow:
    """An order between lanes: the row `target` of one comes after what the other did up to row `source`."""

    event: int
    """The number of the event in the function; -1 where no event is recorded."""
    source: int
    source_lane: int
    target: int
    target_lane: int
    wanted: bool = False
    """Asked for by a dependency of an op that does not lower: no event makes it true."""
    carries: bool = False
    """No event: a branch, a loop or a region's result carries the one lane's handle to the other."""

    @property
    def name(self) -> str:
        """What to call it."""
        if self.wanted:
            return "intended order, which does not lower"
        if self.carries:
            return "the same handle, forwarded"
        return "event" if self.event < 0 else f"event {self.event}"


@dataclass(frozen=True, slots=True)
class Group:
    """Rows inside a loop, a branch or a block; `first` is its head, a row of its own."""

    first: int
    last: int
    depth: int
    loop: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """The streams of one function as one LLVM version lowers it."""

    function: str
    llvm: int
    place: Place
    lanes: tuple[Lane, ...]
    rows: tuple[Row, ...]
    arrows: tuple[Arrow, ...]
    groups: tuple[Group, ...]
    marks: tuple[Mark, ...]
    """Findings of the function that belong to no row."""
    sure: bool = True
    """False where something unreadable leaves it open what the streams are."""

    @property
    def streams(self) -> int:
        """How many streams the function creates; one in a loop counts once."""
        return sum(lane.count for lane in self.lanes if lane.is_stream)

    def work(self, lane: int) -> list[Row]:
        """Return the ops on a lane, in order."""
        return [r for r in self.rows if r.lane == lane and r.does in (Does.WORK, Does.MEMORY)]

    def title(self) -> str:
        """Return one line about the whole: `@merge, LLVM 22: 3 streams, 2 leaked`."""
        unsure = "" if self.sure else " (as far as it can be read)"
        return f"@{printable(self.function)}, LLVM {self.llvm}: {self.counts()}{unsure}"

    def counts(self) -> str:
        """Return how many streams there are, and how many of them are lost."""
        leaked = sum(lane.count for lane in self.lanes if lane.fate is Fate.LEAKED)
        sometimes = sum(lane.count for lane in self.lanes if lane.fate is Fate.LEAKED_SOMETIMES)
        given = [lane.given for lane in self.lanes if lane.given]
        said = [counted(self.streams, given)] + [f"{leaked} leaked"] * bool(leaked)
        return ", ".join(said + [f"{sometimes} leaked on some paths"] * bool(sometimes))


def counted(made: int, given: Sequence[str]) -> str:
    """Return how many streams a function makes, and how many streams and events its caller gives."""
    parts = [f"{made or 'no'} stream{'s' * (made != 1)}"] if made or not given else []
    for kind in dict.fromkeys(given):
        count = given.count(kind)
        parts.append(f"{count} {kind}{'s' * (count != 1)} of the caller")
    return ", ".join(parts)


def columns(lanes: Sequence[Lane], most: int) -> list[int]:
    """Return the column of each lane: one each while there are at most `most`, else shared one after another.

    A lane takes the first column that is free from its first row to its last; leaked lanes end with the last
    op on them here, for they would never give theirs back.
    """
    if len(lanes) <= most:
        return list(range(len(lanes)))
    found = [0] * len(lanes)
    free_from: list[int] = [1 << 60]  # the host keeps its own
    for number in sorted(range(1, len(lanes)), key=lambda n: lanes[n].first):
        lane = lanes[number]
        column = next((c for c, free in enumerate(free_from) if free <= lane.first), len(free_from))
        if column == len(free_from):
            free_from.append(0)
        free_from[column] = lane.last + 1
        found[number] = column
    return found
