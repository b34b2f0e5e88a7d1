"""The picture as SVG: one file without scripts, in the theme of where it is shown.

Each part that stands for a place of the source has `data-line` (from 0), `data-start` and `data-end` (code
points); it can be reached with Tab, and says what it is in its `aria-label` and `<title>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from math import ceil

from gpuasync_lsp.ide.streams.layout import (
    GAP,
    HEAD,
    INSET,
    LONGEST,
    MARGIN,
    MARK,
    REPEAT,
    TOP,
    Box,
    Layout,
    Point,
    head,
    shown,
    written,
)
from gpuasync_lsp.ide.streams.model import (
    HOST,
    RACES,
    Arrow,
    Does,
    Fate,
    Lane,
    Mark,
    Picture,
    Place,
    Row,
)
from gpuasync_lsp.ide.streams.svg_style import LANES, style_sheet
from gpuasync_lsp.reporting.terminal import printable, width
from gpuasync_lsp.text import Severity

_SEVERITIES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "information",
    Severity.HINT: "information",
}

MOST_DASHED = 40
"""So many races have dashed lines. Of hundreds of long ones, dashes take seconds to paint, and nobody can
follow one: they are pale, and the streams explorer draws those of one op at a time."""


def render_svg(pictures: Sequence[Picture]) -> str:
    """Return one SVG with the functions one below the other."""
    layouts = [Layout(picture) for picture in pictures]
    parts: list[str] = []
    y = 0.0
    for layout in layouts:
        parts.append(_tag("g", *_Drawing(layout).parts(), transform=f"translate(0 {y:g})"))
        y += layout.height
    if layouts:
        title = "; ".join(picture.title() for picture in pictures)
        return _document(max(layout.width for layout in layouts), y, title, parts)
    title = "No function has gpu ops with streams."
    return _document(420, 48, title, [_label(title, 12, 30)])


def _document(wide: float, high: float, title: str, parts: Sequence[str]) -> str:
    wide, high = ceil(wide), ceil(high)
    return (
        _tag(
            "svg",
            _tag("style", style_sheet()),
            _tag("rect", class_="paper", width=wide, height=high),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            width=wide,
            height=high,
            viewBox=f"0 0 {wide} {high}",
            class_="gpuasync-streams",
            role="graphics-document document",
            aria_label=title,
        )
        + "\n"
    )


class _Drawing:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.picture = layout.picture
        self.loops = {group.first for group in layout.picture.groups if group.loop}

    def parts(self) -> Iterator[str]:
        """Yield the parts of the picture, the lowest first."""
        picture, layout = self.picture, self.layout
        yield _label(picture.title(), MARGIN, 28, "title")
        yield from self.marks(picture.marks, MARGIN, TOP - 4)
        yield from self.groups()
        if picture.rows:
            yield from self.bars()
            for number in range(len(picture.lanes)):
                yield from self.lane(number)
            yield from self.stops()
        for number, arrow in enumerate(picture.arrows):
            yield self.arrow(arrow, layout.route(arrow, number))
        for number, row in enumerate(picture.rows):
            yield from self.row(number, row)
        yield from self.races()
        if not layout.shared:
            for y, row in [(TOP - HEAD - 8, 0), *layout.heads]:
                yield from self.heads(y, row)

    # Lanes.

    def heads(self, y: float, row: int) -> Iterator[str]:
        """Yield the heads of the lanes above a row; repeated ones only for lanes in use there."""
        for number, lane in enumerate(self.picture.lanes):
            in_use = lane.first < row + REPEAT and self.last(lane) >= row
            if row == 0 or number == HOST or in_use:
                if row > 0:
                    yield self.paper(number, y)
                yield self.head(number, lane, y)

    def paper(self, number: int, y: float) -> str:
        """Return what hides the line of a lane behind a repeated head, through which one can see."""
        column = self.layout.column[number]
        x, wide = self.layout.starts[column], self.layout.widths[column]
        return _tag("rect", class_="paper", x=x, y=y, width=wide, height=HEAD - 4, rx=11)

    def head(self, number: int, lane: Lane, y: float) -> str:
        """Return the head of one lane."""
        column = self.layout.column[number]
        x, wide = self.layout.starts[column], self.layout.widths[column]
        about = ", ".join(filter(None, (head(lane.name, lane.other_token), lane.fate.value, lane.detail)))
        token = _cut(lane.other_token, LONGEST - width(lane.name))
        return _tag(
            "g",
            _tag("title", _text(about)),
            _tag("rect", x=x, y=y, width=wide, height=HEAD - 4, rx=11),
            _tag(
                "text",
                _tag("tspan", _text(lane.name), class_="strong"),
                *([_tag("tspan", _text(token), class_="code", dx=6)] if token else []),
                x=x + wide / 2,
                y=y + 15,
                class_="middle",
            ),
            class_=f"head {_colour(self.picture, number)}",
            data_lane=number,
            **_place(lane.place, about),
        )

    def last(self, lane: Lane) -> int:
        """Return the row to which the line of a lane goes."""
        lost = lane.fate is Fate.LEAKED and not self.layout.shared
        return len(self.picture.rows) - 1 if lost else lane.last

    def lane(self, number: int) -> Iterator[str]:
        """Yield the line of a lane and its end."""
        layout, lane = self.layout, self.picture.lanes[number]
        x, name = layout.centre(number), _colour(self.picture, number)
        if number == HOST:
            if layout.shared:
                yield self.head(number, lane, TOP - HEAD - 8)
            yield _line(x, TOP - 8, layout.bottom - GAP, "lane host")
            return
        if layout.shared:
            yield self.head(number, lane, layout.tops[lane.first] - HEAD - 2)
        end = layout.middle(lane.last)
        thin = "" if lane.is_stream else " thin"
        yield _line(x, layout.middle(lane.first), end, f"lane {name}{thin}", number)
        if lane.fate is Fate.LEAKED:
            lost = layout.middle(self.last(lane))
            lost = lost if lost > end else end + 24
            yield _line(x, end, lost, f"lane lost {name}", number)
            cross = _tag("path", d=f"M{x - 6:.1f} {lost - 6:.1f}l12 12m0 -12l-12 12", class_="cross")
            yield _tag("g", cross, _label("leaked", x + 12, lost + 4, "small"), class_="warning")
        elif lane.fate is Fate.LEAKED_SOMETIMES:
            yield _tag("g", _label("leaked on some path", x, end + 21, "small middle"), class_="warning")

        elif lane.fate is Fate.ESCAPES:
            yield _tag("path", class_=f"tip {name}", d=f"M{x:.1f} {end + 9:.1f}l-6 -9h12z")
            yield _label("handed out", x + 10, end + 6, "small dim")

    def bars(self) -> Iterator[str]:
        """Yield the host's waits: a bar from the host to the furthest lane that it waits for."""
        for number, row in enumerate(self.picture.rows):
            lanes = [lane for lane in row.waits if lane != HOST]
            if lanes:
                start = self.layout.box(number).x
                size = max(map(self.layout.centre, lanes)) - start
                y = self.layout.middle(number) - 3
                yield _tag("rect", class_="bar", x=start, y=y, width=size, height=6)

    def stops(self) -> Iterator[str]:
        """Yield what a wait puts on a lane: a stop where it destroys the stream, else a dot."""
        for number, row in enumerate(self.picture.rows):
            y = self.layout.middle(number)
            for lane in dict.fromkeys(row.waits):
                x = self.layout.centre(lane)
                if lane != HOST and row.destroys:
                    yield _tag("rect", class_="stop", x=x - 9, y=y - 9, width=18, height=18, rx=3)
                elif lane != HOST:
                    yield _tag("circle", class_="stop", cx=x, cy=y, r=6)

    # What links lanes.

    def arrow(self, arrow: Arrow, points: Sequence[Point]) -> str:
        """Return an event: a dot where it is recorded, an arrow to what waits for it."""
        (x, y), (tip, level) = points[0], points[-1]
        to_right = tip > points[-2][0]
        source, target = self.picture.rows[arrow.source], self.picture.rows[arrow.target]
        about = f"{arrow.name}: line {target.place.line + 1} after line {source.place.line + 1}"
        number = ""
        if arrow.event >= 0:
            at = x - 8 if to_right else x + 8
            number = _label(f"e{arrow.event}", at, y + 4, f"small code dim{' end' * to_right}")
        head = "-4.5 -7h9z" if arrow.carries else f"{-7 if to_right else 7} -4.5v9z"
        dashed = " wanted" * (arrow.wanted or arrow.carries)
        return _tag(
            "g",
            _tag("title", _text(about)),
            _tag("path", class_=f"arrow{dashed}", d=_path(points)),
            _tag("path", class_="tip", d=f"M{tip:.1f} {level:.1f}l{head}"),
            "" if arrow.carries else _tag("circle", class_="tip", cx=x, cy=y, r=3.5),
            number,
            class_=_colour(self.picture, arrow.source_lane),
            data_lane=f"{arrow.source_lane} {arrow.target_lane}",
            role="img",
            aria_label=about,
        )

    def races(self) -> Iterator[str]:
        """Yield a line for each pair of accesses that a finding says are not ordered."""
        rows = self.picture.rows
        pairs: dict[tuple[int, int], list[str]] = {}
        for number, row in enumerate(rows):
            for mark in written(row.marks)[0]:
                for other in mark.others if mark.code in RACES else ():
                    pairs.setdefault((other, number), []).append(mark.name)
        many = " many" * (len(pairs) > MOST_DASHED)
        for count, ((other, number), found) in enumerate(pairs.items()):
            names = " and ".join(dict.fromkeys(found))
            lines = rows[other].place.line, rows[number].place.line
            about = f"{names}: line {lines[0] + 1} and line {lines[1] + 1}"
            yield _tag(
                "path",
                _tag("title", _text(about)),
                class_=f"race{many}",
                d=_path(self.layout.link(other, number, count)),
                data_between=f"{lines[0]} {lines[1]}",
                role="img",
                aria_label=about,
            )

    def groups(self) -> Iterator[str]:
        """Yield the frames of loops, branches and blocks, the outer ones first."""
        for group in sorted(self.picture.groups, key=lambda g: g.depth):
            box = self.layout.group(group.first, group.last, group.depth)
            yield _rect(box, 6, f"group{' loop' * group.loop}")

    # Rows.

    def row(self, number: int, row: Row) -> Iterator[str]:
        """Yield the line number, the box and the findings of a row."""
        layout = self.layout
        y = layout.middle(number) + 4
        yield _label(str(row.place.line + 1), layout.left - 10, y, "small dim end")
        if row.does is Does.GROUP:
            text = ("↻ " if number in self.loops else "") + shown(row)
            name = _label(text, layout.left + row.depth * INSET + 8, y, "code strong")
            yield _tag("g", name, **_place(row.place, text))
        else:
            yield self.box(row, layout.box(number))
        yield from self.marks(row.marks, layout.lanes_end, layout.tops[number] + 12)

    def box(self, row: Row, box: Box) -> str:
        """Return the box of an op."""
        lane = HOST if row.does is Does.WAIT else row.lane
        classes = ["box", _colour(self.picture, lane)]
        classes += ["create"] * (row.does in (Does.CREATE, Does.JOIN, Does.GIVEN))
        classes += ["left"] * bool(row.left) + ["removed"] * row.removed
        facts = list(self.facts(row, lane))
        # All that is seen in the box, in that order: who speaks to the computer names it by what is seen.
        seen = " ".join(filter(None, (shown(row), row.token)))
        marks, more = written(row.marks)
        rest = [_more(more)] if more else []
        about = ", ".join([f"line {row.place.line + 1}: {seen}", *facts, *map(_mark_name, marks), *rest])
        title = "\n".join([row.source, *facts, *(mark.message for mark in marks), *rest])
        radius = 9 if row.does is Does.MEMORY else 4
        x, y = box.x + box.width / 2, box.middle + 4
        texts = [_label(_cut(shown(row), LONGEST), x, y - 6 * bool(row.token), "code middle")]
        if row.token:
            texts.append(_label(_cut(row.token, LONGEST + 4), x, y + 9, "code small dim middle"))
        return _tag(
            "g",
            _tag("title", _text(title)),
            _rect(box, radius, "back"),
            _rect(box, radius, "tint"),
            *texts,
            self.sign(row, box),
            class_=" ".join(classes),
            data_lane=" ".join(map(str, dict.fromkeys((lane, *row.waits)))),
            **_place(row.place, about),
        )

    def facts(self, row: Row, lane: int) -> Iterator[str]:
        """Yield what is to be said of an op."""
        names = [fact.name for fact in self.picture.lanes]
        yield names[lane]
        waits = [names[w] for w in dict.fromkeys(row.waits) if w != HOST]
        if waits:
            yield f"waits for {' and '.join(waits)}"
        if row.left:
            yield f"does not lower: {row.left}"
        if row.removed:
            yield "removed before lowering"

    def sign(self, row: Row, box: Box) -> str:
        """Return a sign for the corner of a box that findings speak of, in the colour of the worst."""
        if not row.marks:
            return ""
        worst = _SEVERITIES[min(mark.severity for mark in row.marks)]
        shape = f"M{box.right - 7:.1f} {box.y + 5:.1f}l6.5 -11l6.5 11z"
        return _tag("g", _tag("path", class_="sign", d=shape), class_=worst)

    def marks(self, marks: Sequence[Mark], x: float, y: float) -> Iterator[str]:
        """Yield findings, one below the other."""
        seen, more = written(marks)
        for number, mark in enumerate(seen):
            about = f"{_mark_name(mark)}: {mark.message}"
            yield _tag(
                "g",
                _tag("title", _text(about)),
                _label(f"▲ {_mark_name(mark)}", x, y + number * MARK),
                class_=_SEVERITIES[mark.severity],
                **_place(mark.place, about),
            )
        if more:
            yield _label(_more(more), x, y + len(seen) * MARK, "small dim")


def _more(count: int) -> str:
    return f"and {count} more"


def _mark_name(mark: Mark) -> str:
    return f"{mark.code} {mark.name}"


def _place(place: Place | None, about: str) -> dict[str, object]:
    """Return the attributes that lead to a place of the source."""
    if place is None:
        return {"role": "img", "aria_label": about}
    return {
        "role": "link",
        "tabindex": 0,
        "aria_label": about,
        "data_line": place.line,
        "data_start": place.span.start,
        "data_end": place.span.end,
    }


_STREAM = re.compile(r"stream (\d+)")


def _colour(picture: Picture, lane: int) -> str:
    """Return the class of a lane's colour: a stream has that of its number everywhere."""
    if lane == HOST:
        return "host"
    numbered = _STREAM.match(picture.lanes[lane].name)
    return f"lane{(int(numbered[1]) if numbered is not None else lane - 1) % LANES}"


def _rect(box: Box, radius: float, name: str) -> str:
    return _tag("rect", class_=name, x=box.x, y=box.y, width=box.width, height=box.height, rx=radius)


def _line(x: float, top: float, bottom: float, name: str, lane: int = HOST) -> str:
    return _tag("path", class_=name, d=f"M{x:.1f} {top:.1f}V{bottom:.1f}", data_lane=lane)


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _label(text: str, x: float, y: float, name: str = "") -> str:
    return _tag("text", _text(text), x=x, y=y, **({"class_": name} if name else {}))


def _tag(name: str, *content: str, **attributes: object) -> str:
    """Return an element; `class_` and `data_line` stand for the attributes `class` and `data-line`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items()
    )
    inside = "".join(content) if name in ("text", "tspan", "title", "style") else "\n".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return escape(printable(" ".join(str(value).split())))


def _text(text: str) -> str:
    return escape("\n".join(map(printable, text.split("\n"))), quote=False)


def _cut(text: str, cells: int) -> str:
    text = printable(text)
    return text if width(text) <= cells else text[: max(cells - 1, 1)] + "…"
