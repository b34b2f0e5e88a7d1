"""The picture of a function's streams, as plain data: rows in text order, a lane per stream, and links.

Rows are numbered from the top; row *i* is `picture.rows[i]`. Lane 0 is the host. Renderers use nothing
else.
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
"""Findings about two unordered or wrongly ordered accesses, drawn as a line."""


class Fate(Enum):
    """The fate of a lane's object."""

    DESTROYED = "destroyed"
    LEAKED = "leaked"
    LEAKED_SOMETIMES = "leaked on some path"
    ESCAPES = "escapes"
    NONE = ""
    """No status: the host, the null stream, an unused event."""


class Does(Enum):
    """The role of a row in its lane."""

    GIVEN = "given"
    """A stream or an event of the caller, an argument of the function."""
    CREATE = "begin"
    """A stream begins."""
    JOIN = "join"
    """A stream begins after the events that it waits on."""
    WORK = "work"
    """An op on the lane."""
    MEMORY = "memory"
    """An allocation or a free: made by the host, listed at its token."""
    EVENT = "event"
    """A value arrives that gpu-to-llvm treats as an event."""
    WAIT = "wait"
    """The host waits."""
    HOST = "host"
    """Host code that uses streams or their buffers."""
    YIELD = "yield"
    """A token is yielded by its async region."""
    GROUP = "group"
    """The beginning of a loop, a branch or a block."""
    END = "end"
    """The function returns."""


@dataclass(frozen=True, slots=True)
class Place:
    """A span of the text: offsets in code points, and the line and column (from 0) of its start."""

    span: Span
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A finding shown at a row."""

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    others: tuple[int, ...] = ()
    """The other rows of the finding: the other access of a race, the first of two waits."""


@dataclass(frozen=True, slots=True)
class Row:
    """One op, or the head of a group."""

    lane: int
    does: Does
    label: str
    """The operation, with the source's names: `memcpy %back ← %front`."""
    token: str
    """The name of the token that it defines, or an empty string."""
    source: str
    """The op as written, on one line."""
    place: Place
    depth: int = 0
    """The number of groups around it."""
    waits: tuple[int, ...] = ()
    """Lanes that the host waits for here, once per operand; the row's bar."""
    destroys: bool = False
    """Whether the wait also destroys the stream or event."""
    left: str = ""
    """Why the op stays unlowered, or an empty string."""
    removed: bool = False
    """Whether the greedy rewrite removes the op before the conversion."""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Lane:
    """The host, a stream, or another object of a token."""

    name: str
    """`host`, `stream 0`, `caller's stream %s`, `stream 0 as event`, `event`, `null stream` ..."""
    token: str
    """Its first token, as named in the source."""
    is_stream: bool
    """Whether the function creates a stream for it."""
    place: Place | None
    first: int
    """Its first row."""
    last: int
    """Its last row; a leaked one continues to the end."""
    fate: Fate
    detail: str = ""
    """An additional note."""
    count: int = 1
    """The number of streams that it represents, if equivalent ones are merged."""
    given: str = ""
    """`stream` or `event` for an object of the caller; empty for one of the function's own."""

    @property
    def other_token(self) -> str:
        """The token, unless the name contains it."""
        return "" if self.token and self.name.endswith(self.token) else self.token


@dataclass(frozen=True, slots=True)
class Arrow:
    """An order between lanes: the row `target` of one follows the other's work up to row `source`."""

    event: int
    """The number of the event in the function; -1 where no event is recorded."""
    source: int
    source_lane: int
    target: int
    target_lane: int
    wanted: bool = False
    """Required by a dependency of an op that does not lower: no event establishes it."""
    carries: bool = False
    """Not an event: a branch, a loop or a region's result forwards the one lane's handle to the other."""

    @property
    def name(self) -> str:
        """Its name."""
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
    """Findings of the function without a row."""
    sure: bool = True
    """False if the streams are unsure because of unreadable text."""

    @property
    def streams(self) -> int:
        """The number of streams that the function creates; one in a loop counts once."""
        return sum(lane.count for lane in self.lanes if lane.is_stream)

    def work(self, lane: int) -> list[Row]:
        """Return the ops on a lane, in order."""
        return [r for r in self.rows if r.lane == lane and r.does in (Does.WORK, Does.MEMORY)]

    def title(self) -> str:
        """Return a one-line summary: `@merge, LLVM 22: 3 streams, 2 leaked`."""
        unsure = "" if self.sure else " (as far as it can be read)"
        return f"@{printable(self.function)}, LLVM {self.llvm}: {self.counts()}{unsure}"

    def counts(self) -> str:
        """Return the number of streams, and of leaked ones, in words."""
        leaked = sum(lane.count for lane in self.lanes if lane.fate is Fate.LEAKED)
        sometimes = sum(lane.count for lane in self.lanes if lane.fate is Fate.LEAKED_SOMETIMES)
        given = [lane.given for lane in self.lanes if lane.given]
        said = [counted(self.streams, given)] + [f"{leaked} leaked"] * bool(leaked)
        return ", ".join(said + [f"{sometimes} leaked on some paths"] * bool(sometimes))


def counted(made: int, given: Sequence[str]) -> str:
    """Return the number of created streams, and of the caller's streams and events, in words."""
    parts = [f"{made or 'no'} stream{'s' * (made != 1)}"] if made or not given else []
    for kind in dict.fromkeys(given):
        count = given.count(kind)
        parts.append(f"{count} {kind}{'s' * (count != 1)} of the caller")
    return ", ".join(parts)


def columns(lanes: Sequence[Lane], most: int) -> list[int]:
    """Return the column of each lane: one each up to `most` lanes, else shared sequentially.

    A lane takes the first column that is free from its first row to its last. Leaked lanes end with their
    last op here, since they would never free their column.
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
