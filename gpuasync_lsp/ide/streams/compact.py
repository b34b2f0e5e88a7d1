"""The compact SVG drawing, in the style of Git histories: a narrow lane per stream, a line per op.

The host is the lane on the left. A dot is an op on its lane's stream, a ring is a host operation on a stream,
and a bar is a wait of the host. Events are lines between lanes, loops and branches are brackets on the left,
and findings are triangles before the text. The parts of the drawing have the attributes and colors of the
large drawing, `svg.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuasync_lsp.ide.streams.layout import CHARACTER, MARGIN, TITLE, Point, head, shown, written
from gpuasync_lsp.ide.streams.model import HOST, Arrow, Does, Fate, Lane, Mark, Picture, Row, columns
from gpuasync_lsp.ide.streams.svg_parts import (
    SEVERITIES,
    color,
    cut,
    document,
    facts,
    finding,
    label,
    leads_to,
    line,
    mark_name,
    more_text,
    nothing,
    path,
    races,
    tag,
    text_of,
)
from gpuasync_lsp.reporting.terminal import printable, width

ROW = 20
"""The height of a line in pixels."""
_TITLE = 48
_STEPS = ((14, 14), (24, 10), (1 << 60, 7))
"""The distance between lanes, keyed by the maximum number of columns to which it applies."""
_MOST_LANES = 8
"""If there are more lanes than this, lanes that do not overlap in time share a column."""
_BRACKET = 7
_RACES = 16
"""The width reserved between the lanes and the text for the lines of races."""
_LONGEST = 90
"""The maximum number of characters of an op that are shown."""
_MOST_MARKS = 2
"""The maximum number of findings named in a line; the number of further findings is appended."""
_DOT = 4.0
_BEGIN = (Does.CREATE, Does.JOIN, Does.EVENT, Does.GIVEN)
"""The roles of rows at which a lane begins and its head is drawn."""
_NAMED = (Does.CREATE, Does.JOIN, Does.EVENT)
"""The roles of rows that also show the lane's name; the label of a `GIVEN` row contains it already."""


def render_compact(pictures: Sequence[Picture]) -> str:
    """Return one SVG with all functions, one below the other."""
    drawings = [_Compact(picture) for picture in pictures]
    if not drawings:
        return nothing()
    parts: list[str] = []
    y = 0.0
    for drawing in drawings:
        parts.append(tag("g", *drawing.parts(), transform=f"translate(0 {y:g})"))
        y += drawing.height
    title = "; ".join(picture.title() for picture in pictures)
    return document(max(drawing.width for drawing in drawings), y, title, parts, compact=True)


class _Compact:
    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.column = columns(picture.lanes, _MOST_LANES)
        count = max(self.column) + 1
        self.shared = count < len(picture.lanes)
        self.step = next(step for most, step in _STEPS if count <= most)
        depth = max((group.depth for group in picture.groups), default=-1) + 1
        last = max((row.place.line for row in picture.rows), default=0) + 1
        self.numbers = MARGIN + len(str(last)) * CHARACTER
        """The right edge of the line numbers."""
        self.brackets = self.numbers + 8
        self.host = self.brackets + depth * _BRACKET + 6
        self.lanes_end = self.host + (count - 1) * self.step + 8
        self.text = self.lanes_end + _RACES
        self.top = _TITLE + len(self.marks_above) * ROW
        self.height = self.top + len(picture.rows) * ROW + MARGIN
        longest = max((self.text_width(row) for row in picture.rows), default=0.0)
        self.width = max(self.text + longest, width(picture.title()) * TITLE + MARGIN) + MARGIN

    @property
    def marks_above(self) -> Sequence[str]:
        """The findings about the function as a whole."""
        marks, more = written(self.picture.marks)
        return [mark_name(mark) for mark in marks] + [more_text(more)] * (more > 0)

    def parts(self) -> Iterator[str]:
        """Yield the parts in drawing order, the lowest first."""
        picture = self.picture
        yield label(picture.title(), MARGIN, 22, "title")
        for number, mark in enumerate(written(picture.marks)[0]):
            yield finding(mark, MARGIN, _TITLE + number * ROW + 13)
        if not picture.rows:
            return
        for number in range(len(picture.rows)):
            yield from self.row(number)
        yield from self.brackets_of_groups()
        for number in range(len(picture.lanes)):
            yield from self.lane(number)
        for number in range(len(picture.rows)):
            yield from self.bar(number)
        for arrow in picture.arrows:
            yield self.arrow(arrow)
        yield from races(picture.rows, self.race)
        for number, row in enumerate(picture.rows):
            yield self.node(number, row)
        for number, lane in enumerate(picture.lanes):
            yield self.head(number, lane)

    def x(self, lane: int) -> float:
        return self.host + self.column[lane] * self.step

    def y(self, row: int) -> float:
        return self.top + row * ROW + ROW / 2

    # Lanes and links between them.

    def lane(self, number: int) -> Iterator[str]:
        """Yield the line of a lane and its end."""
        lane, x = self.picture.lanes[number], self.x(number)
        if number == HOST:
            yield line(x, self.y(0) - ROW / 2, self.y(len(self.picture.rows) - 1), "lane host", HOST)
            return
        name, end = color(self.picture, number), self.y(lane.last)
        thin = "" if lane.is_stream else " thin"
        yield line(x, self.y(lane.first), end, f"lane {name}{thin}", number)
        if lane.fate is Fate.LEAKED:
            lost = end + ROW / 2 if self.shared else self.y(len(self.picture.rows) - 1)
            yield line(x, end, lost, f"lane lost {name}", number)
            cross = tag("path", d=f"M{x - 3.5:.1f} {lost - 3.5:.1f}l7 7m0 -7l-7 7", class_="cross")
            yield tag("g", tag("title", text_of(f"{lane.name}: leaked")), cross, class_="warning")
        elif lane.fate is Fate.ESCAPES:
            yield tag("path", class_=f"tip {name}", d=f"M{x:.1f} {end + 9:.1f}l-4 -6h8z")

    def head(self, number: int, lane: Lane) -> str:
        """Return the head of a lane: its number, or a letter if it is not a stream."""
        about = ", ".join(filter(None, (head(lane.name, lane.other_token), lane.fate.value, lane.detail)))
        short = _short(number, lane)
        wide = max(len(short) * 5.6 + 3, 11)
        x, y = self.x(number), self.y(lane.first) if number != HOST else self.top - 6
        return tag(
            "g",
            tag("title", text_of(about)),
            tag("rect", class_="paper", x=x - wide / 2, y=y - 7, width=wide, height=14, rx=6),
            tag("rect", class_="pill", x=x - wide / 2, y=y - 7, width=wide, height=14, rx=6),
            label(short, x, y + 3.5, "tiny middle"),
            class_=f"head {color(self.picture, number)}",
            data_lane=number,
            **leads_to(lane.place, about),
        )

    def bar(self, number: int) -> Iterator[str]:
        """Yield the bar of a wait, from the host's lane to the farthest lane in the wait, with a stop on each
        lane."""
        row, y = self.picture.rows[number], self.y(number)
        lanes = [lane for lane in dict.fromkeys(row.waits) if lane != HOST]
        if not lanes:
            return
        start = self.host
        yield tag("rect", class_="bar", x=start, y=y - 1.5, width=max(map(self.x, lanes)) - start, height=3)
        for lane in lanes:
            if row.destroys:
                yield tag("rect", class_="stop", x=self.x(lane) - 4, y=y - 4, width=8, height=8, rx=1.5)
            else:
                yield tag("circle", class_="stop", cx=self.x(lane), cy=y, r=3)

    def arrow(self, arrow: Arrow) -> str:
        """Return an event's line: from the recording op, down next to the waiting lane, to the waiting op."""
        x, y = self.x(arrow.source_lane), self.y(arrow.source)
        to, level = self.x(arrow.target_lane), self.y(arrow.target)
        rows = self.picture.rows
        lines = rows[arrow.source].place.line + 1, rows[arrow.target].place.line + 1
        about = f"{arrow.name}: line {lines[1]} after line {lines[0]}"
        side = -1 if x < to else 1
        gutter = to + side * self.step / 2
        turn = min(ROW / 2, max((level - y) / 2, 0.0))
        way = (
            f"M{x:.1f} {y:.1f}C{x:.1f} {y + turn:.1f} {gutter:.1f} {y:.1f} {gutter:.1f} {y + turn:.1f}"
            f"V{level - turn:.1f}C{gutter:.1f} {level:.1f} {gutter:.1f} {level:.1f} {to:.1f} {level:.1f}"
        )
        dashed = " wanted" * (arrow.wanted or arrow.carries)
        tip = "" if arrow.carries else f"M{to + side * 4:.1f} {level:.1f}l{side * 5} -3v6z"
        return tag(
            "g",
            tag("title", text_of(about)),
            tag("path", class_=f"arrow{dashed}", d=way),
            tag("path", class_="tip", d=tip) if tip else "",
            class_=color(self.picture, arrow.source_lane),
            data_lane=f"{arrow.source_lane} {arrow.target_lane}",
            role="img",
            aria_label=about,
        )

    def race(self, first: int, second: int, number: int) -> str:
        """Return the path of a race's line between two ops, right of the lanes."""
        x = self.lanes_end + 3 + number % 3 * 4
        points: list[Point] = [(self.text - 2, self.y(first)), (x, self.y(first))]
        return path([*points, (x, self.y(second)), (self.text - 2, self.y(second))])

    def brackets_of_groups(self) -> Iterator[str]:
        """Yield a bracket for each loop, branch and block."""
        for group in self.picture.groups:
            x = self.brackets + group.depth * _BRACKET
            top, bottom = self.y(group.first) - 4, self.y(group.last) + ROW / 2 - 3
            name = f"bracket{' loop' * group.loop}"
            yield tag("path", class_=name, d=f"M{x + 5:.1f} {top:.1f}H{x:.1f}V{bottom:.1f}h5")

    # Ops.

    def row(self, number: int) -> Iterator[str]:
        """Yield an op's line of text, which links to the source, and its findings."""
        row, y = self.picture.rows[number], self.y(number)
        lane = HOST if row.does in (Does.WAIT, Does.GROUP) else row.lane
        marks, more = written(row.marks)
        described = [*facts(self.picture, row, lane)] if row.does is not Does.GROUP else []
        rest = [more_text(more)] if more else []
        title = "\n".join([row.source, *described, *(mark.message for mark in marks), *rest])
        classes = ["op", color(self.picture, lane), *["removed"] * row.removed]
        x = self.text
        # Speech control addresses a link by its visible text, so the label begins with that text, in the same
        # order.
        words = [(self.indented(row), "strong" if row.does is Does.GROUP else "")]
        if row.does in _NAMED:
            words.append((self.picture.lanes[row.lane].name, "lane-name"))
        if row.left:
            words.append((cut(f"does not lower: {row.left}", 50), "left"))
        seen = " ".join(
            [str(row.place.line + 1), *(word.replace("\u00a0", " ").strip() for word, _ in words)]
        )
        about = ", ".join([seen, *described, *map(mark_name, marks), *rest])
        yield tag(
            "g",
            tag("title", text_of(title)),
            tag("rect", class_="back", x=2, y=y - ROW / 2, width=self.width - 4, height=ROW, rx=3),
            label(str(row.place.line + 1), self.numbers, y + 4, "small dim end"),
            tag("text", " ".join(map(_word, words)), x=x, y=y + 4, class_="code"),
            class_=" ".join(classes),
            data_lane=" ".join(map(str, dict.fromkeys((lane, *row.waits)))),
            **leads_to(row.place, about),
        )
        x += self.op_width(row)
        for mark in named(row):
            yield finding(mark, x, y + 4, sign="")  # The sign precedes the line.
            x += mark_width(mark)
        if len(row.marks) > _MOST_MARKS:
            yield label(more_text(len(row.marks) - _MOST_MARKS), x, y + 4, "small dim")

    def indented(self, row: Row) -> str:
        """Return the indented beginning of a line: the token and the op."""
        token = f"{printable(row.token)}: " if row.token else ""
        return "\u00a0\u00a0" * row.depth + cut(token + shown(row), _LONGEST)

    def op_width(self, row: Row) -> float:
        """Return the horizontal position of a line's findings, after its text."""
        size = width(self.indented(row)) * CHARACTER
        if row.does in _NAMED:
            size += width(self.picture.lanes[row.lane].name) * CHARACTER + 8
        if row.left:
            size += min(width(row.left) + 16, 50) * CHARACTER + 8
        return size + 14

    def text_width(self, row: Row) -> float:
        more = 60 if len(row.marks) > _MOST_MARKS else 0
        return self.op_width(row) + sum(map(mark_width, named(row))) + more

    def node(self, number: int, row: Row) -> str:
        """Return the symbol of an op on its lane."""
        if row.does in (Does.GROUP, *_BEGIN) and not row.marks:
            return ""
        lane = HOST if row.does is Does.WAIT else row.lane
        x, y = self.x(lane), self.y(number)
        worst = SEVERITIES[min(mark.severity for mark in row.marks)] if row.marks else ""
        sign = ""
        if worst:
            at = self.text - 9
            triangle = tag("path", class_="sign", d=f"M{at - 5:.1f} {y + 4.5:.1f}l5 -9l5 9z")
            sign = tag("g", triangle, class_=worst)
        if row.does in (Does.GROUP, *_BEGIN):
            return sign
        kind = {Does.MEMORY: "ring", Does.HOST: "ring", Does.END: "ring", Does.WAIT: "stop"}.get(
            row.does, "dot"
        )
        kind += " left" * bool(row.left)
        dot = tag("circle", class_=f"node {kind}", cx=x, cy=y, r=_DOT)
        return tag("g", dot, class_=color(self.picture, lane), data_lane=lane) + sign


def named(row: Row) -> Sequence[Mark]:
    """Return the findings to name in a line, the most severe first."""
    return sorted(row.marks, key=lambda mark: mark.severity)[:_MOST_MARKS]


def mark_width(mark: Mark) -> float:
    """Return the width of a finding's name, including the link to its fixes that the streams explorer
    adds."""
    return width(mark_name(mark)) * 6.4 + 44


def _word(word: tuple[str, str]) -> str:
    text, name = word
    return tag("tspan", text_of(text), class_=name) if name else text_of(text)


def _short(number: int, lane: Lane) -> str:
    if number == HOST:
        return "host"
    if lane.is_stream:
        return lane.name.removeprefix("stream ").split(",")[0]
    if lane.given:
        return "s" if lane.given == "stream" else "e"
    return {"null stream": "0", "unlowered": "?", "stream object": "s"}.get(lane.name, "e")
