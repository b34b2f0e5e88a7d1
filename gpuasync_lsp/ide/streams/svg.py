"""The SVG drawing: one file without scripts, which adopts the light or dark theme of its surroundings.

Each part with a source location has `data-line` (0-based), `data-start` and `data-end` (code points), can be
reached with Tab, and describes itself in its `aria-label` and `<title>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from gpuasync_lsp.ide.streams.model import HOST, Arrow, Does, Fate, Lane, Mark, Picture, Row
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
    op_text,
    path,
    races,
    rect,
    tag,
    text_of,
)
from gpuasync_lsp.reporting.terminal import width


def render_svg(pictures: Sequence[Picture]) -> str:
    """Return one SVG with all functions, one below the other."""
    layouts = [Layout(picture) for picture in pictures]
    parts: list[str] = []
    y = 0.0
    for layout in layouts:
        parts.append(tag("g", *_Drawing(layout).parts(), transform=f"translate(0 {y:g})"))
        y += layout.height
    if layouts:
        title = "; ".join(picture.title() for picture in pictures)
        return document(max(layout.width for layout in layouts), y, title, parts)
    return nothing()


class _Drawing:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.picture = layout.picture
        self.loops = {group.first for group in layout.picture.groups if group.loop}

    def parts(self) -> Iterator[str]:
        """Yield the parts of the diagram in drawing order, the lowest first."""
        picture, layout = self.picture, self.layout
        yield label(picture.title(), MARGIN, 28, "title")
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
        yield from races(picture.rows, lambda first, second, number: path(layout.link(first, second, number)))
        if not layout.shared:
            for y, row in [(TOP - HEAD - 8, 0), *layout.heads]:
                yield from self.heads(y, row)

    # Lanes.

    def heads(self, y: float, row: int) -> Iterator[str]:
        """Yield the heads of the lanes above a row; repeated heads only for lanes in use."""
        for number, lane in enumerate(self.picture.lanes):
            in_use = lane.first < row + REPEAT and self.last(lane) >= row
            if row == 0 or number == HOST or in_use:
                if row > 0:
                    yield self.paper(number, y)
                yield self.head(number, lane, y)

    def paper(self, number: int, y: float) -> str:
        """Return an opaque background for a repeated head, which hides the lane's line."""
        column = self.layout.column[number]
        x, wide = self.layout.starts[column], self.layout.widths[column]
        return tag("rect", class_="paper", x=x, y=y, width=wide, height=HEAD - 4, rx=11)

    def head(self, number: int, lane: Lane, y: float) -> str:
        column = self.layout.column[number]
        x, wide = self.layout.starts[column], self.layout.widths[column]
        about = ", ".join(filter(None, (head(lane.name, lane.other_token), lane.fate.value, lane.detail)))
        token = cut(lane.other_token, LONGEST - width(lane.name))
        return tag(
            "g",
            tag("title", text_of(about)),
            tag("rect", x=x, y=y, width=wide, height=HEAD - 4, rx=11),
            tag(
                "text",
                tag("tspan", text_of(lane.name), class_="strong"),
                *([tag("tspan", text_of(token), class_="code", dx=6)] if token else []),
                x=x + wide / 2,
                y=y + 15,
                class_="middle",
            ),
            class_=f"head {color(self.picture, number)}",
            data_lane=number,
            **leads_to(lane.place, about),
        )

    def last(self, lane: Lane) -> int:
        """Return the row at which a lane's line ends."""
        lost = lane.fate is Fate.LEAKED and not self.layout.shared
        return len(self.picture.rows) - 1 if lost else lane.last

    def lane(self, number: int) -> Iterator[str]:
        """Yield the line of a lane and the symbol at its end."""
        layout, lane = self.layout, self.picture.lanes[number]
        x, name = layout.center(number), color(self.picture, number)
        if number == HOST:
            if layout.shared:
                yield self.head(number, lane, TOP - HEAD - 8)
            yield line(x, TOP - 8, layout.bottom - GAP, "lane host")
            return
        if layout.shared:
            yield self.head(number, lane, layout.tops[lane.first] - HEAD - 2)
        end = layout.middle(lane.last)
        thin = "" if lane.is_stream else " thin"
        yield line(x, layout.middle(lane.first), end, f"lane {name}{thin}", number)
        if lane.fate is Fate.LEAKED:
            lost = layout.middle(self.last(lane))
            lost = lost if lost > end else end + 24
            yield line(x, end, lost, f"lane lost {name}", number)
            cross = tag("path", d=f"M{x - 6:.1f} {lost - 6:.1f}l12 12m0 -12l-12 12", class_="cross")
            yield tag("g", cross, label("leaked", x + 12, lost + 4, "small"), class_="warning")
        elif lane.fate is Fate.LEAKED_SOMETIMES:
            yield tag("g", label("leaked on some paths", x, end + 21, "small middle"), class_="warning")

        elif lane.fate is Fate.ESCAPES:
            yield tag("path", class_=f"tip {name}", d=f"M{x:.1f} {end + 9:.1f}l-6 -9h12z")
            yield label("escapes", x + 10, end + 6, "small dim")

    def bars(self) -> Iterator[str]:
        """Yield the host's waits: each is a bar from the host to the farthest lane in the wait."""
        for number, row in enumerate(self.picture.rows):
            lanes = [lane for lane in row.waits if lane != HOST]
            if lanes:
                start = self.layout.box(number).x
                size = max(map(self.layout.center, lanes)) - start
                y = self.layout.middle(number) - 3
                yield tag("rect", class_="bar", x=start, y=y, width=size, height=6)

    def stops(self) -> Iterator[str]:
        """Yield the symbols of a wait on lanes: a stop if it destroys the stream, otherwise a dot."""
        for number, row in enumerate(self.picture.rows):
            y = self.layout.middle(number)
            for lane in dict.fromkeys(row.waits):
                x = self.layout.center(lane)
                if lane != HOST and row.destroys:
                    yield tag("rect", class_="stop", x=x - 9, y=y - 9, width=18, height=18, rx=3)
                elif lane != HOST:
                    yield tag("circle", class_="stop", cx=x, cy=y, r=6)

    # Links between lanes.

    def arrow(self, arrow: Arrow, points: Sequence[Point]) -> str:
        """Return an event, drawn as a dot at the recording op and an arrow to the waiting op."""
        (x, y), (tip, level) = points[0], points[-1]
        to_right = tip > points[-2][0]
        source, target = self.picture.rows[arrow.source], self.picture.rows[arrow.target]
        about = f"{arrow.name}: line {target.place.line + 1} after line {source.place.line + 1}"
        number = ""
        if arrow.event >= 0:
            at = x - 8 if to_right else x + 8
            number = label(f"e{arrow.event}", at, y + 4, f"small code dim{' end' * to_right}")
        head = "-4.5 -7h9z" if arrow.carries else f"{-7 if to_right else 7} -4.5v9z"
        dashed = " wanted" * (arrow.wanted or arrow.carries)
        return tag(
            "g",
            tag("title", text_of(about)),
            tag("path", class_=f"arrow{dashed}", d=path(points)),
            tag("path", class_="tip", d=f"M{tip:.1f} {level:.1f}l{head}"),
            "" if arrow.carries else tag("circle", class_="tip", cx=x, cy=y, r=3.5),
            number,
            class_=color(self.picture, arrow.source_lane),
            data_lane=f"{arrow.source_lane} {arrow.target_lane}",
            role="img",
            aria_label=about,
        )

    def groups(self) -> Iterator[str]:
        """Yield the frames of loops, branches and blocks, the outer ones first."""
        for group in sorted(self.picture.groups, key=lambda g: g.depth):
            box = self.layout.group(group.first, group.last, group.depth)
            yield rect(box, 6, f"group{' loop' * group.loop}")

    # Rows.

    def row(self, number: int, row: Row) -> Iterator[str]:
        """Yield the line number, the box and the findings of a row."""
        layout = self.layout
        y = layout.middle(number) + 4
        yield label(str(row.place.line + 1), layout.left - 10, y, "small dim end")
        if row.does is Does.GROUP:
            text = ("↻ " if number in self.loops else "") + shown(row)
            name = label(text, layout.left + row.depth * INSET + 8, y, "code strong")
            yield tag("g", name, **leads_to(row.place, text))
        else:
            yield self.box(row, layout.box(number))
        yield from self.marks(row.marks, layout.lanes_end, layout.tops[number] + 12)

    def box(self, row: Row, box: Box) -> str:
        lane = HOST if row.does is Does.WAIT else row.lane
        classes = ["box", color(self.picture, lane)]
        classes += ["create"] * (row.does in (Does.CREATE, Does.JOIN, Does.GIVEN))
        classes += ["left"] * bool(row.left) + ["removed"] * row.removed
        described = list(facts(self.picture, row, lane))
        seen = op_text(row)
        marks, more = written(row.marks)
        rest = [more_text(more)] if more else []
        about = ", ".join([f"line {row.place.line + 1}: {seen}", *described, *map(mark_name, marks), *rest])
        title = "\n".join([row.source, *described, *(mark.message for mark in marks), *rest])
        radius = 9 if row.does is Does.MEMORY else 4
        x, y = box.x + box.width / 2, box.middle + 4
        texts = [label(cut(shown(row), LONGEST), x, y - 6 * bool(row.token), "code middle")]
        if row.token:
            texts.append(label(cut(row.token, LONGEST + 4), x, y + 9, "code small dim middle"))
        return tag(
            "g",
            tag("title", text_of(title)),
            rect(box, radius, "back"),
            rect(box, radius, "tint"),
            *texts,
            self.sign(row, box),
            class_=" ".join(classes),
            data_lane=" ".join(map(str, dict.fromkeys((lane, *row.waits)))),
            **leads_to(row.place, about),
        )

    def sign(self, row: Row, box: Box) -> str:
        """Return the symbol in the corner of a box with findings, in the color of the most severe one."""
        if not row.marks:
            return ""
        worst = SEVERITIES[min(mark.severity for mark in row.marks)]
        shape = f"M{box.right - 7:.1f} {box.y + 5:.1f}l6.5 -11l6.5 11z"
        return tag("g", tag("path", class_="sign", d=shape), class_=worst)

    def marks(self, marks: Sequence[Mark], x: float, y: float) -> Iterator[str]:
        seen, more = written(marks)
        for number, mark in enumerate(seen):
            yield finding(mark, x, y + number * MARK)
        if more:
            yield label(more_text(more), x, y + len(seen) * MARK, "small dim")
