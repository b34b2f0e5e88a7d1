"""The diagram as text for a terminal: time goes down, with a column for the host and for each stream.

    line  host 0   1   2
       5   │   ┬   │   │   new stream            stream 0 begins

For 80 to 120 columns of a fixed-width font; longer lines are cut with an ellipsis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap

from gpuasync_lsp.ide.streams.model import (
    HOST,
    Arrow,
    Does,
    Fate,
    Lane,
    Mark,
    Picture,
    Row,
    columns,
)
from gpuasync_lsp.reporting.terminal import printable, width
from gpuasync_lsp.text import Severity

COLUMNS = 100
"""The default width of the text."""
_MOST_LANES = 12
"""If there are more lanes than this, lanes that do not overlap in time share a column."""
_NAME = len("null stream")
"""The width of lanes' names in the summary; a longer name widens only its own line."""

_NARROWEST = 4
"""The minimum width of a column, including the space after it."""
_REPEAT = 40
"""The number of rows after which the heads of the columns are repeated."""
_HOST = 6
"""The width of the host's column."""

Paint = Callable[[str, str], str]
"""Takes a string and the name of a style in `STYLES`; returns the styled string."""

STYLES = {
    "lane0": "34",
    "lane1": "32",
    "lane2": "33",
    "lane3": "35",
    "lane4": "36",
    "lane5": "94",
    "host": "1",
    "bold": "1",
    "dim": "2",
    "error": "1;31",
    "warning": "1;33",
    "information": "1;34",
    "hint": "1;36",
}
"""The styles of the text, as ANSI codes; streams cycle through `lane0` to `lane5`."""

_SEVERITIES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "information",
    Severity.HINT: "hint",
}

_ASCII = str.maketrans(
    {
        "│": "|",
        "┊": ":",
        "▽": "v",
        "┬": "T",
        "●": "*",
        "○": "o",
        "◆": "@",
        "◇": "e",
        "■": "#",
        "═": "=",
        "╪": "+",
        "╧": "=",
        "─": "-",
        "├": "+",
        "┤": "+",
        "┼": "+",
        "▶": ">",
        "◀": "<",
        "✗": "x",
        "←": "=",
        "…": "~",
    }
)


def colored(text: str, style: str) -> str:
    """Return `text` with the escape sequences of a style of `STYLES`."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if text else ""


def plain(text: str, style: str) -> str:
    """Return `text` unchanged."""
    return text


@dataclass(frozen=True, slots=True)
class TextOptions:
    """The appearance of the text."""

    columns: int = COLUMNS
    paint: Paint = plain
    ascii: bool = False
    """Whether to use ASCII only, for a terminal whose encoding has no line-drawing characters."""


def render_text(pictures: Sequence[Picture], options: TextOptions | None = None) -> str:
    """Return the diagrams as text, one below the other."""
    options = options or TextOptions()
    blocks = ["\n".join(_Chart(picture, options).lines()) for picture in pictures]
    return "\n\n".join(blocks) + "\n" if blocks else "No function has gpu ops with streams.\n"


class _Chart:
    def __init__(self, picture: Picture, options: TextOptions) -> None:
        self.picture = picture
        self.options = options
        self.paint = options.paint
        self.column = columns(picture.lanes, _MOST_LANES)
        self.count = max(self.column) + 1
        self.step = 4 if self.count <= 7 else 3
        self.wide = _HOST + (self.count - 1) * self.step
        """The width of all lanes."""
        self.margin = max(4, len(str(max((row.place.line for row in picture.rows), default=0) + 1)))
        self.arrows: dict[int, list[Arrow]] = {}
        self.records: dict[int, list[Arrow]] = {}
        for arrow in picture.arrows:
            if arrow.carries:
                continue  # The lane's name shows the origin of its handle.
            self.arrows.setdefault(arrow.target, []).append(arrow)
            if arrow.event >= 0:
                self.records.setdefault(arrow.source, []).append(arrow)

        self.room = max(self.options.columns - self.margin - 2 - self.wide, 24)
        """The width of the space to the right of the lanes."""
        self.label_cells = self.cells_of_labels()

    def cells_of_labels(self) -> int:
        """Return the width of labels that have notes, since the notes get their space first."""
        rows = [(self.label(row), self.note(number, row)) for number, row in enumerate(self.picture.rows)]
        noted = [(width(label), width(note)) for label, note in rows if note]
        longest = max((label for label, _ in noted), default=0)
        left = self.room - 2 - max((note for _, note in noted), default=0)
        return min(longest, max(left, self.room * 3 // 5 - 2))

    def lines(self) -> Iterator[str]:
        picture = self.picture
        for line in wrap(picture.title(), self.options.columns):
            yield self.style(line, "bold")
        yield from self.summary()
        for mark in picture.marks:
            yield self.mark(mark, "  ")
        if not picture.rows:
            return
        for number, row in enumerate(picture.rows):
            if number % _REPEAT == 0:
                yield ""
                yield self.heads(number)
            yield from self.row(number, row)
        yield ""
        yield from self.legend()

    def summary(self) -> Iterator[str]:
        """Yield a line for each lane that summarizes the work on it."""
        lanes = self.picture.lanes[1:]
        if not lanes:
            return
        # One long name, such as `stream 0 or stream 2 as event`, must not shift the other lines.
        names = min(max(width(lane.name) for lane in lanes), _NAME)
        tokens = min(max(width(printable(lane.other_token)) for lane in lanes), 24)
        for number, lane in enumerate(lanes, 1):
            work = _counted(printable(row.label) for row in self.picture.work(number))
            fate, style = self.fate(number, lane)
            room = self.options.columns - max(names, width(lane.name)) - tokens - 8
            note = "; ".join(part for part in (fate, lane.detail) if part)
            ops = _listing(work, max(room - width(note), 20))
            start = (
                f"  {self.style(_pad(lane.name, names), self.lane_style(number))}  "
                f"{_pad(_cut(printable(lane.other_token), tokens), tokens)}  "
            )
            yield (start + self.text(ops) + self.style(_cut(note, room - width(ops)), style)).rstrip()

    def fate(self, number: int, lane: Lane) -> tuple[str, str]:
        """Return a description of a lane's fate, and the style of that text."""
        waits = [row for row in self.picture.rows if row.destroys and number in row.waits]
        lines = ", ".join(str(row.place.line + 1) for row in waits)
        match lane.fate:
            case Fate.LEAKED:
                return "leaked: never destroyed", "warning"
            case Fate.LEAKED_SOMETIMES:
                return "leaked on some paths", "warning"
            case Fate.DESTROYED if waits:
                return f"until line {lines}", "dim"
            case Fate.ESCAPES:
                return "escapes", "dim"
            case _:
                return "", "dim"

    def heads(self, row: int) -> str:
        """Return the line with the heads of the columns that are in use from `row` on."""
        cells = [" "] * self.wide
        for number, lane in enumerate(self.picture.lanes):
            short = _short(lane, number)
            if lane.first <= row + _REPEAT and (lane.last >= row or self.count == len(self.picture.lanes)):
                at = self.at(number)
                if all(c == " " for c in cells[at : at + len(short)]):
                    cells[at : at + len(short)] = short
        return self.style(f"{'line':>{self.margin}}  {''.join(cells)}".rstrip(), "dim")

    def at(self, lane: int) -> int:
        """Return the index of a lane's cell."""
        column = self.column[lane]
        return column and _HOST + (column - 1) * self.step

    # One row.

    def row(self, number: int, row: Row) -> Iterator[str]:
        """Yield the line of a row and the lines of its findings."""
        lead = self.style(f"{row.place.line + 1:>{self.margin}}", "dim")
        label, notes = self.label(row), self.note(number, row)
        lanes = self.lanes(number, row)
        if notes:
            label = _pad(_cut(label, self.label_cells), self.label_cells)
            notes = _cut(notes, self.room - self.label_cells - 2)
            shown = f"{self.style(label, self.label_style(row))}  "
            shown += self.style(notes, "error" if row.left else "dim")
        else:
            shown = self.style(_cut(label, self.room), self.label_style(row))
        yield f"{lead}  {lanes}{shown}".rstrip()
        indent = " " * (self.margin + 2)
        below = self.lanes(number, None)
        for mark in row.marks:
            yield self.mark(mark, indent + below)

    def label(self, row: Row) -> str:
        token = f"{printable(row.token)}: " if row.token else ""
        return "  " * row.depth + token + printable(row.label)

    def label_style(self, row: Row) -> str:
        if row.removed:
            return "dim"
        return "bold" if row.does in (Does.GROUP, Does.WAIT) else "none"

    def note(self, number: int, row: Row) -> str:
        """Return the note next to a row's label."""
        return ", ".join(self.notes(number, row))

    def notes(self, number: int, row: Row) -> Iterator[str]:
        """Yield the parts of a row's note."""
        picture = self.picture
        if row.removed:
            yield "removed before lowering"
        if row.left:
            yield f"does not lower: {row.left}"
        events = [str(a.event) for a in self.arrows.get(number, ()) if a.event >= 0]
        after = f"after event{'s' * (len(events) > 1)} {' and '.join(events)}" if events else ""
        if row.does in (Does.CREATE, Does.JOIN, Does.EVENT):
            yield picture.lanes[row.lane].name
        if row.does is Does.GIVEN:
            yield picture.lanes[row.lane].detail
        if after:
            yield after
        recorded = self.records.get(number, ())
        if recorded:
            yield f"event {', '.join(str(a.event) for a in recorded)} recorded"
        if row.waits and row.does is Does.WAIT:
            yield f"waits for {', '.join(dict.fromkeys(picture.lanes[w].object_name for w in row.waits))}"
        elif row.waits:
            yield "the host waits for it"
        if row.does is Does.END:
            lost = [lane.name for lane in picture.lanes if lane.fate is Fate.LEAKED]
            if lost:
                yield f"leaked: {', '.join(lost)}"

    def lanes(self, number: int, row: Row | None) -> str:
        """Return the lanes to the left of a row's label; without a row, only lanes that continue below
        `number`."""
        cells: list[tuple[str, str]] = [(" ", "none")] * self.wide
        for lane, fact in enumerate(self.picture.lanes):
            if self.alive(lane, fact, number, below=row is None):
                cells[self.at(lane)] = ("│" if lane else "┊", self.lane_style(lane))
        if row is not None and row.does is not Does.GROUP:
            self.draw(number, row, cells)
        return "".join(self.style(text, style) for text, style in cells)

    def alive(self, lane: int, fact: Lane, number: int, *, below: bool) -> bool:
        """Return whether a lane's line passes the row, or continues below it."""
        if lane == HOST:
            return True
        last = fact.last
        if fact.fate is Fate.LEAKED and self.count == len(self.picture.lanes):
            last = len(self.picture.rows)
        return fact.first <= number and (number < last if below else number <= last)

    def draw(self, number: int, row: Row, cells: list[tuple[str, str]]) -> None:
        own = self.at(row.lane)
        style = self.lane_style(row.lane)
        if row.waits:
            ends = {self.at(lane) for lane in row.waits}
            for at in range(1, max(ends, default=0)):
                crossed = cells[at][0] != " "
                cells[at] = ("╪" if crossed else "═", "host")
            for end in ends:
                if end:
                    cells[end] = ("╧", "host")
            cells[0] = ("■", "host")
            if row.does is Does.WAIT:
                return
        elif row.does is Does.WAIT:
            cells[0] = ("■", "dim")
            return
        arrows = self.arrows.get(number, ())
        sources = {self.at(a.source_lane) for a in arrows} - {own}
        reach = [*sources, own] if sources else []
        for at in range(min(reach, default=0), max(reach, default=0)):
            if cells[at][0] == " ":
                cells[at] = ("─", style)
        for at in sources:
            outer = at == min(reach) or at == max(reach)
            cells[at] = (("├" if at < own else "┤") if outer else "┼", style)
        for at in (own - 1,) if any(s < own for s in sources) else ():
            cells[at] = ("▶", style)
        for at in (own + 1,) if any(s > own for s in sources) else ():
            cells[at] = ("◀", style)
        cells[own] = (self.symbol(number, row), "error" if row.left else style)
        if row.does is Does.END:
            for lane, fact in enumerate(self.picture.lanes):
                if fact.fate is Fate.LEAKED and self.alive(lane, fact, number, below=False):
                    cells[self.at(lane)] = ("✗", "warning")

    def symbol(self, number: int, row: Row) -> str:
        """Return the symbol of a row in its own lane."""
        if row.left:
            return "✗"
        if number in self.records:
            return "◆"
        match row.does:
            case Does.CREATE | Does.JOIN:
                return "┬"
            case Does.GIVEN:
                return "▽"
            case Does.EVENT | Does.YIELD:
                return "◇"
            case Does.MEMORY | Does.HOST | Does.END:
                return "○"
            case _:
                return "●"

    def mark(self, mark: Mark, lead: str) -> str:
        """Return a finding in one line; `check` prints the details."""
        others = [str(self.picture.rows[other].place.line + 1) for other in mark.others]
        seen = f" (line {', '.join(others)})" if others else ""
        text = printable(f"! {mark.code} {mark.name}{seen}: {mark.message.partition(chr(10))[0]}")
        return lead + self.style(_cut(text, self.room), _SEVERITIES[mark.severity])

    def legend(self) -> Iterator[str]:
        """Return an explanation of the symbols that the diagram uses."""
        picture = self.picture
        used = {self.symbol(n, r) for n, r in enumerate(picture.rows) if r.does is not Does.GROUP}
        parts = [
            ("▽", "▽ passed by the caller"),
            ("┬", "┬ stream begins"),
            ("●", "● op on a stream"),
            ("○", "○ executed by the host"),
            ("◆", "◆ then an event is recorded"),
            ("◇", "◇ event"),
        ]
        words = [text for sign, text in parts if sign in used]
        if any(row.waits for row in picture.rows):
            words.append("■══╧ host waits")
        if "✗" in used:
            words.append("✗ does not lower")
        elif any(lane.fate is Fate.LEAKED for lane in picture.lanes):
            words.append("✗ leaked")
        line = ""
        for word in words:
            if line and width(line) + 3 + width(word) > self.options.columns:
                yield self.style(line, "dim")
                line = ""
            line += f"   {word}" if line else word
        yield self.style(line, "dim")

    def lane_style(self, lane: int) -> str:
        if lane == HOST:
            return "dim"
        return f"lane{(lane - 1) % 6}"

    def text(self, text: str) -> str:
        """Return text without a style."""
        return self.style(text, "none")

    def style(self, text: str, style: str) -> str:
        """Return text in a style, limited to the terminal's characters."""
        if self.options.ascii:
            text = text.translate(_ASCII)
        return text if style == "none" else self.paint(text, style)


def _counted(work: Iterable[str]) -> list[str]:
    """Return the ops, with a count for consecutive equal ones."""
    return [
        text if count == 1 else f"{text} ({count} times)"
        for text, count in ((text, sum(1 for _ in same)) for text, same in groupby(work))
    ]


def _listing(work: Sequence[str], room: int) -> str:
    """Return the ops that fit into `room` cells, and the number of the rest."""
    shown: list[str] = []
    used = 0
    for number, text in enumerate(work):
        more = f"and {len(work) - number} more"
        if shown and used + width(text) + len(more) + 4 > room:
            shown.append(more)
            break
        shown.append(_cut(text, room))
        used += width(text) + 2
    return ", ".join(shown) + ("  " if shown else "")


def _short(lane: Lane, number: int) -> str:
    """Return the short head of a lane's column."""
    if number == HOST:
        return "host"
    known = {"null stream": "nul", "unlowered": "?", "stream object": "obj"}.get(lane.name)
    if known is None and lane.is_stream:
        return lane.name.removeprefix("stream ")
    if lane.given:
        return printable(lane.token) if width(printable(lane.token)) < _NARROWEST else "in"
    return known or "ev"


def _pad(text: str, cells: int) -> str:
    return text + " " * max(cells - width(text), 0)


def _cut(text: str, cells: int) -> str:
    if width(text) <= cells:
        return text
    kept = ""
    for character in text:
        if width(kept + character) > cells - 1:
            break
        kept += character
    return kept.rstrip() + "…"
