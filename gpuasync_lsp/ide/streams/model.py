"""The diagram of a function's streams, as plain data: rows in text order, a lane per stream, and links.

Rows are numbered from the top; row *i* is `picture.rows[i]`. Lane 0 is the host. Renderers use only this
data.
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
"""The codes of findings about two unordered or wrongly ordered accesses, each drawn as a line."""


class Fate(Enum):
    """The fate of a lane's stream or event."""

    DESTROYED = "destroyed"
    LEAKED = "leaked"
    LEAKED_SOMETIMES = "leaked on some path"
    ESCAPES = "escapes"
    NONE = ""
    """The lane has no fate to show: it is the host, the null stream, or an unused event."""


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
    """An allocation or a free, which the host executes; the row is nevertheless on the lane of its token."""
    EVENT = "event"
    """The op defines a value that gpu-to-llvm treats as an event."""
    WAIT = "wait"
    """The host waits for streams or events."""
    HOST = "host"
    """Host code that uses streams or their buffers."""
    YIELD = "yield"
    """An async region yields a token."""
    GROUP = "group"
    """The head of a loop, a branch or a block."""
    END = "end"
    """The function returns."""


@dataclass(frozen=True, slots=True)
class Place:
    """A span of the text: offsets in code points, and the 0-based line and column of the start."""

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
    """The rows of the finding's related locations: the other access of a race, the first of two waits."""
    has_fix: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One op, or the head of a group."""

    lane: int
    does: Does
    label: str
    """A short form of the op, with the source's names: `memcpy %back ← %front`."""
    token: str
    """The name of the token that the op defines; empty if it defines none."""
    source: str
    """The op as written, on one line."""
    place: Place
    depth: int = 0
    """The number of groups around the row."""
    waits: tuple[int, ...] = ()
    """The lanes on which the host waits here, one entry per operand; drawn as a bar."""
    destroys: bool = False
    """Whether the wait also destroys these streams and events."""
    left: str = ""
    """The reason why the op is left unlowered; empty if it is lowered."""
    removed: bool = False
    """Whether the conversion's greedy rewrite folds the op away before it is lowered."""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Lane:
    """The host, a stream, an event, or another handle of a token."""

    name: str
    """`host`, `stream 0`, `caller's stream %s`, `stream 0 as event`, `event`, `null stream` ..."""
    token: str
    """The lane's first token, as named in the source."""
    is_stream: bool
    """Whether the function creates a stream for the lane."""
    place: Place | None
    first: int
    """The lane's first row."""
    last: int
    """The lane's last row; the line of a leaked stream is drawn to the end of the diagram."""
    fate: Fate
    detail: str = ""
    """A note to show with the lane's name."""
    count: int = 1
    """The number of equivalent streams that the lane represents."""
    given: str = ""
    """`stream` or `event` if the caller passes the lane's handle to the function; otherwise empty."""

    @property
    def other_token(self) -> str:
        """The lane's token; empty if the lane's name contains it."""
        return "" if self.token and self.name.endswith(self.token) else self.token

    @property
    def object_name(self) -> str:
        """The lane's name as the object of a sentence: "waits for the null stream"."""
        return _OBJECT_NAMES.get(self.name, self.name)


_OBJECT_NAMES = {
    "null stream": "the null stream",
    "stream object": "the stream object",
    "unlowered": "ops that do not lower",
}


@dataclass(frozen=True, slots=True)
class Arrow:
    """An order between lanes: row `target` of one lane follows all work of the other up to row `source`."""

    event: int
    """The event's number in the function; -1 if no event is recorded."""
    source: int
    source_lane: int
    target: int
    target_lane: int
    wanted: bool = False
    """Whether only a dependency of an unlowered op requires this order, which no event establishes."""
    carries: bool = False
    """Whether a branch, a loop or a region's result forwards one lane's handle to the other, without an
    event."""

    @property
    def name(self) -> str:
        """A short description of the arrow."""
        if self.wanted:
            return "intended order, which does not lower"
        if self.carries:
            return "the same handle, forwarded"
        return "event" if self.event < 0 else f"event {self.event}"


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of a loop, a branch or a block, from its head, the row `first`."""

    first: int
    last: int
    depth: int
    loop: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """The streams of one function as the target LLVM release lowers it."""

    function: str
    llvm: int
    place: Place
    lanes: tuple[Lane, ...]
    rows: tuple[Row, ...]
    arrows: tuple[Arrow, ...]
    groups: tuple[Group, ...]
    marks: tuple[Mark, ...]
    """The findings of the function that have no row."""
    sure: bool = True
    """Whether the streams are certain; False if a part of the function could not be parsed."""

    @property
    def streams(self) -> int:
        """The number of streams that the function creates; a stream in a loop counts once."""
        return sum(lane.count for lane in self.lanes if lane.is_stream)

    def work(self, lane: int) -> list[Row]:
        """Return the ops on a lane, in order."""
        return [r for r in self.rows if r.lane == lane and r.does in (Does.WORK, Does.MEMORY)]

    def title(self) -> str:
        """Return a one-line summary: `@merge, LLVM 22: 3 streams, 2 leaked`."""
        unsure = "" if self.sure else " (only the parsed part)"
        return f"@{printable(self.function)}, LLVM {self.llvm}: {self.counts()}{unsure}"

    def counts(self) -> str:
        """Format the numbers of streams and of leaked streams."""
        leaked = sum(lane.count for lane in self.lanes if lane.fate is Fate.LEAKED)
        sometimes = sum(lane.count for lane in self.lanes if lane.fate is Fate.LEAKED_SOMETIMES)
        given = [lane.given for lane in self.lanes if lane.given]
        parts = [counted(self.streams, given)] + [f"{leaked} leaked"] * bool(leaked)
        return ", ".join(parts + [f"{sometimes} leaked on some paths"] * bool(sometimes))


def counted(made: int, given: Sequence[str]) -> str:
    """Format the numbers of created streams and of the caller's streams and events."""
    parts = [f"{made or 'no'} stream{'s' * (made != 1)}"] if made or not given else []
    for kind in dict.fromkeys(given):
        count = given.count(kind)
        parts.append(f"{count} {kind}{'s' * (count != 1)} of the caller")
    return ", ".join(parts)


def columns(lanes: Sequence[Lane], most: int) -> list[int]:
    """Return the column of each lane: one each up to `most` lanes, else shared by lanes that do not
    overlap.

    A lane gets the first column that is free from its first row to its last. For this purpose a leaked lane
    ends with its last op; otherwise it would never free its column.
    """
    if len(lanes) <= most:
        return list(range(len(lanes)))
    found = [0] * len(lanes)
    free_from: list[int] = [1 << 60]  # The host's column is never free.
    for number in sorted(range(1, len(lanes)), key=lambda n: lanes[n].first):
        lane = lanes[number]
        column = next((c for c, free in enumerate(free_from) if free <= lane.first), len(free_from))
        if column == len(free_from):
            free_from.append(0)
        free_from[column] = lane.last + 1
        found[number] = column
    return found
