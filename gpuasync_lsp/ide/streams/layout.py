"""Layout of the SVG picture: columns for lanes, rows for ops, gutters for arrows.

The order of rows (time) and lanes (creation) is fixed, so a graph layout library would have nothing to
decide. A row has a single op, so a horizontal line in the middle of a row or in the gap below it, and a
vertical line in a gutter, never cross a box. `dot.py` is for Graphviz users.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuasync_lsp.ide.streams.model import HOST, Arrow, Does, Mark, Picture, Row, columns
from gpuasync_lsp.reporting.terminal import printable, width

CHARACTER = 7.23
"""The width of a character of a 12 px fixed-width font."""
GUTTER = 44
MARGIN = 12
TOP = 78
"""The height of the title and of the lanes' heads."""
TITLE = 9.8
"""The width of a character of the title, in wide fonts such as DejaVu Sans."""
HEAD = 26
"""The height of repeated heads."""
REPEAT = 30
"""The number of rows after which the heads are repeated."""
MARK = 16
MOST_MARKS = 4
"""The maximum number of findings shown at an op, since more would be unreadable."""
GAP = 16
"""The height of the gap between two rows, in which records of events are drawn."""
MOST_LANES = 10
"""If there are more lanes than this, lanes that do not overlap in time share a column."""
LONGEST = 34
"""The maximum number of characters of a label shown in a box."""
INSET = 7
"""The distance by which each level of nesting narrows a group's frame."""
_LINES = 46
_NARROW, _TALL, _LOW = 104.0, 38.0, 26.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, by its top left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The vertical position of the box's middle."""
        return self.y + self.height / 2

    @property
    def right(self) -> float:
        """The horizontal position of the box's right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The vertical position of the box's lower edge."""
        return self.y + self.height


Point = tuple[float, float]


class Layout:
    """The geometry of one picture, from (0, 0)."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.column = columns(picture.lanes, MOST_LANES)
        self.count = max(self.column) + 1
        self.shared = self.count < len(picture.lanes)
        """Whether lanes share columns; if so, each lane's head is where the lane begins instead of at the
        top."""
        self.depth = max((group.depth for group in picture.groups), default=-1) + 1
        self.left = MARGIN + _LINES
        self._place_columns()
        self._place_rows()

    def _place_columns(self) -> None:
        longest = [6] * self.count
        for lane, fact in enumerate(self.picture.lanes):
            column = self.column[lane]
            longest[column] = max(longest[column], width(head(fact.name, fact.other_token)))
        for row in self.picture.rows:
            if row.does is not Does.GROUP:
                column = self.column[row.lane if row.does is not Does.WAIT else HOST]
                longest[column] = max(longest[column], width(shown(row)), width(printable(row.token)))
        self.widths = [max(min(size, LONGEST) * CHARACTER + 20, _NARROW) for size in longest]
        self.starts: list[float] = []
        x = self.left + self.depth * INSET + MARGIN
        for size in self.widths:
            self.starts.append(x)
            x += size + GUTTER
        self.lanes_end = x - GUTTER + MARGIN + self.depth * INSET + (GUTTER / 2)
        marks = list(self.mark_texts())
        self.width = max(
            self.lanes_end + max((width(t) * 6.7 + 30 for t in marks), default=0),
            width(self.picture.title()) * TITLE + 2 * MARGIN,
        )

    def mark_texts(self) -> Iterator[str]:
        """Yield the messages of all shown findings."""
        for marks in (self.picture.marks, *(row.marks for row in self.picture.rows)):
            for mark in written(marks)[0]:
                yield f"{mark.code} {mark.name}"

    def _place_rows(self) -> None:
        self.tops: list[float] = []
        self.heights: list[float] = []
        self.heads: list[tuple[float, int]] = []
        """The repeated heads of all lanes: the vertical position of each, and the row below it."""
        y = TOP + _marks_height(self.picture.marks)
        firsts = {lane.first for lane in self.picture.lanes[1:]} if self.shared else set[int]()
        for number, row in enumerate(self.picture.rows):
            if number and number % REPEAT == 0 and not self.shared:
                self.heads.append((y, number))
                y += HEAD + GAP / 2
            if number in firsts:
                y += HEAD
            height = _TALL if row.token and row.does is not Does.GROUP else _LOW
            self.tops.append(y)
            self.heights.append(height)
            y += max(height, _marks_height(row.marks)) + GAP
        self.bottom = y
        self.height = y + MARGIN

    def center(self, lane: int) -> float:
        """Return the horizontal position of a lane's line."""
        column = self.column[lane]
        return self.starts[column] + self.widths[column] / 2

    def middle(self, row: int) -> float:
        """Return the vertical center of a row's box."""
        return self.tops[row] + self.heights[row] / 2

    def box(self, number: int) -> Box:
        """Return the box of a row; a wait's box is in the host's lane."""
        row = self.picture.rows[number]
        column = self.column[HOST if row.does is Does.WAIT else row.lane]
        return Box(self.starts[column], self.tops[number], self.widths[column], self.heights[number])

    def group(self, first: int, last: int, depth: int) -> Box:
        """Return the frame of a group."""
        x = self.left + depth * INSET
        top = self.tops[first] - 2
        marks = _marks_height(self.picture.rows[last].marks)
        bottom = self.tops[last] + max(self.heights[last], marks) + max(GAP / 2 - 2 * depth, 2)
        return Box(x, top, self.lanes_end - GUTTER / 2 - depth * INSET - x, bottom - top)

    def route(self, arrow: Arrow, number: int) -> list[Point]:
        """Return the corners of an event's line: from the gap below the event's row, through a gutter, to the
        target."""
        x, box = self.center(arrow.source_lane), self.box(arrow.target)
        if arrow.carries:
            y, to = box.y - GAP / 2, self.center(arrow.target_lane)
            return [(x, self.box(arrow.source).bottom), (x, y), (to, y), (to, box.y)]
        # An event that the op of the same row waits on is recorded before that op, any other event after its
        # row.
        y = self.box(arrow.source).bottom + 6 if arrow.source != arrow.target else box.y - 6
        from_left = self.column[arrow.source_lane] < self.column[arrow.target_lane]
        shift = 8 + number % 5 * 5
        gutter = box.x - shift if from_left else box.right + shift
        return [(x, y), (gutter, y), (gutter, box.middle), (box.x if from_left else box.right, box.middle)]

    def link(self, first: int, second: int, number: int) -> list[Point]:
        """Return the corners of a line that links the boxes of two rows."""
        one, two = self.box(first), self.box(second)
        shift = 10 + number % 4 * 6
        if one.right < two.x:
            gutter = one.right + shift
            return [(one.right, one.middle), (gutter, one.middle), (gutter, two.middle), (two.x, two.middle)]
        if two.right < one.x:
            gutter = one.x - shift
            return [(one.x, one.middle), (gutter, one.middle), (gutter, two.middle), (two.right, two.middle)]
        gutter = one.right + shift
        return [(one.right, one.middle), (gutter, one.middle), (gutter, two.middle), (two.right, two.middle)]


def written(marks: Sequence[Mark]) -> tuple[Sequence[Mark], int]:
    """Return the findings to show at an op (the most severe if there are too many), and the number of
    others."""
    if len(marks) <= MOST_MARKS:
        return marks, 0
    return sorted(marks, key=lambda mark: mark.severity)[:MOST_MARKS], len(marks) - MOST_MARKS


def _marks_height(marks: Sequence[Mark]) -> float:
    shown, more = written(marks)
    return (len(shown) + (more > 0)) * MARK


def head(name: str, token: str) -> str:
    """Return the text of a lane's head."""
    return f"{name}  {printable(token)}".strip()


def shown(row: Row) -> str:
    """Return the text of a row's box."""
    return printable(row.label)
