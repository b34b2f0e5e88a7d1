"""The picture as SVG: one file without scripts, in the theme of where it is shown.

Colours are CSS variables: those of VS Code in its webviews, else light or dark as the reader prefers. Every
part that stands for a place of the source has `data-line` (from 0), `data-start` and `data-end` (code points),
can be reached with Tab, and says what it is in its `aria-label` and `<title>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from gpuasync_lsp.ide.stream_view.layout import (
    GAP,
    HEAD,
    LONGEST,
    MARGIN,
    MARK,
    REPEAT,
    TOP,
    Layout,
    Point,
    head,
    shown,
)
from gpuasync_lsp.ide.stream_view.model import HOST, Does, Fate, Lane, Mark, Picture, Place, Row
from gpuasync_lsp.reporting.terminal import printable, width
from gpuasync_lsp.text import Severity

_LIGHT = ("#2a5fd0", "#2e7d32", "#a35a00", "#8e3bbd", "#00767a", "#b3305f")
_DARK = ("#7aa2ff", "#6fcf7c", "#ffb454", "#cf93ff", "#4fd0d4", "#ff8fb3")
_CHARTS = ("blue", "green", "orange", "purple", "yellow", "red")

_SEVERITIES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "information",
    Severity.HINT: "information",
}


def render_svg(pictures: Sequence[Picture]) -> str:
    """Return one SVG with the functions one below the other."""
    layouts = [Layout(picture) for picture in pictures]
    if not layouts:
        return _document(420, 48, "No streams", ['<text x="12" y="30">No function has gpu ops with streams.</text>'])
    parts: list[str] = []
    y = 0.0
    for layout in layouts:
        parts.append(f'<g transform="translate(0 {y:g})">')
        parts += _Drawing(layout).parts()
        parts.append("</g>")
        y += layout.height
    title = "; ".join(picture.title() for picture in pictures)
    return _document(max(layout.width for layout in layouts), y, title, parts)


def _document(wide: float, high: float, title: str, parts: Sequence[str]) -> str:
    size = f'width="{wide:.0f}" height="{high:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} class="gpuasync-streams" '
            f'role="graphics-document document" aria-label="{_attribute(title)}">',
            f"<style>{_style()}</style>",
            f'<rect class="paper" width="{wide:.0f}" height="{high:.0f}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _style() -> str:
    names = [*(f"lane{n}" for n in range(6)), "text", "paper", "error", "warning", "information"]
    light = [*_LIGHT, "#1f2328", "#ffffff", "#c62828", "#9a6700", "#0a5fc2"]
    dark = [*_DARK, "#e6edf3", "#0d1117", "#ff7b72", "#e3b341", "#79b8ff"]
    theme = [
        *(f"--vscode-charts-{name}" for name in _CHARTS),
        "--vscode-editor-foreground",
        "--vscode-editor-background",
        "--vscode-editorError-foreground",
        "--vscode-editorWarning-foreground",
        "--vscode-editorInfo-foreground",
    ]

    def variables(colours: list[str]) -> str:
        return "".join(f"--ga-{n}:var({t},{c});" for n, t, c in zip(names, theme, colours, strict=True))

    lanes = "".join(f".gpuasync-streams .lane{n}{{--ga:var(--ga-lane{n})}}" for n in range(6))
    return (
        f".gpuasync-streams{{{variables(light)}color:var(--ga-text);font:12px system-ui,sans-serif}}"
        f"@media (prefers-color-scheme:dark){{.gpuasync-streams{{{variables(dark)}}}}}"
        f"{lanes}.gpuasync-streams .host{{--ga:currentColor}}{_RULES}"
    )


_RULES = (
    ".gpuasync-streams text{fill:currentColor}"
    ".gpuasync-streams .paper{fill:var(--ga-paper)}"
    ".gpuasync-streams .code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    ".gpuasync-streams .title{font-size:16px;font-weight:600}"
    ".gpuasync-streams .dim{opacity:.65}"
    ".gpuasync-streams .small{font-size:10.5px}"
    ".gpuasync-streams .box rect{fill:var(--ga-paper);stroke:var(--ga);stroke-width:1.5}"
    ".gpuasync-streams .box rect.tint{fill:var(--ga);fill-opacity:.14}"
    ".gpuasync-streams .box.create rect.tint,.gpuasync-streams .head rect{fill:var(--ga);fill-opacity:.3}"
    ".gpuasync-streams .head rect{stroke:none}"
    ".gpuasync-streams .left rect{stroke:var(--ga-error);stroke-dasharray:5 3}"
    ".gpuasync-streams .removed{opacity:.5}"
    ".gpuasync-streams .lane{stroke:var(--ga);stroke-width:3;fill:none}"
    ".gpuasync-streams .lane.host{stroke-width:1;stroke-dasharray:2 4;opacity:.5}"
    ".gpuasync-streams .lane.lost{stroke-dasharray:7 5}"
    ".gpuasync-streams .bar{fill:currentColor;opacity:.55}"
    ".gpuasync-streams .stop{fill:currentColor}"
    ".gpuasync-streams .arrow{stroke:var(--ga);stroke-width:1.6;fill:none}"
    ".gpuasync-streams .arrow.wanted{stroke-dasharray:3 3;opacity:.8}"
    ".gpuasync-streams .tip{fill:var(--ga);stroke:none}"
    ".gpuasync-streams .race{stroke:var(--ga-error);stroke-width:1.6;fill:none;stroke-dasharray:6 3}"
    ".gpuasync-streams .group{fill:currentColor;fill-opacity:.045;stroke:currentColor;stroke-opacity:.3}"
    ".gpuasync-streams .loop{stroke-dasharray:6 3}"
    ".gpuasync-streams .error text{fill:var(--ga-error)}"
    ".gpuasync-streams .warning text{fill:var(--ga-warning)}"
    ".gpuasync-streams .information text{fill:var(--ga-information)}"
    ".gpuasync-streams .sign{stroke:var(--ga-paper)}"
    ".gpuasync-streams .error .sign{fill:var(--ga-error)}"
    ".gpuasync-streams .warning .sign{fill:var(--ga-warning)}"
    ".gpuasync-streams .information .sign{fill:var(--ga-information)}"
    ".gpuasync-streams .cross{stroke:var(--ga-warning);stroke-width:3;fill:none}"
    ".gpuasync-streams [data-line]{cursor:pointer}"
    ".gpuasync-streams [data-line]:focus{outline:2px solid currentColor;outline-offset:1px}"
)


class _Drawing:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.picture = layout.picture

    def parts(self) -> Iterator[str]:
        """Yield the parts of the picture, the lowest first."""
        picture, layout = self.picture, self.layout
        yield f'<text x="{MARGIN}" y="28" class="title">{_text(picture.title())}</text>'
        yield from self.marks(picture.marks, MARGIN, TOP - 4)
        yield from self.groups()
        if picture.rows:
            yield from self.bars()
            for lane in range(len(picture.lanes)):
                yield from self.lane(lane)
            yield from self.ends()
        yield from self.arrows()
        for number, row in enumerate(picture.rows):
            yield from self.row(number, row)
        yield from self.races()
        if not layout.shared:
            for y, row in [(TOP - HEAD - 8, 0), *layout.heads]:
                yield from self.heads(y, row)

    # Lanes.

    def heads(self, y: float, row: int) -> Iterator[str]:
        """Yield the heads of the lanes above a row; repeated ones for lanes in use there only."""
        for number, lane in enumerate(self.picture.lanes):
            if row == 0 or number == HOST or (lane.first < row + REPEAT and self.last(lane) >= row):
                yield self.head(number, lane, y)

    def head(self, number: int, lane: Lane, y: float) -> str:
        """Return the head of one lane."""
        layout = self.layout
        column = layout.column[number]
        x, wide = layout.starts[column], layout.widths[column]
        said = head(lane.name, lane.token)
        about = ", ".join(part for part in (said, lane.fate.value, lane.detail) if part)
        return (
            f'<g class="head {_lane_class(number)}"{_links(lane.place, about)}><title>{_text(about)}</title>'
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{HEAD - 4}" rx="11"/>'
            f'<text x="{x + wide / 2:.1f}" y="{y + 15:.1f}" text-anchor="middle">'
            f"<tspan font-weight=\"600\">{_text(lane.name)}</tspan>"
            f'<tspan class="code" dx="6">{_text(_cut(lane.token, LONGEST - width(lane.name)))}</tspan></text></g>'
        )

    def last(self, lane: Lane) -> int:
        """Return the row to which the line of a lane goes."""
        lost = lane.fate is Fate.LEAKED and not self.layout.shared
        return len(self.picture.rows) - 1 if lost else lane.last

    def lane(self, number: int) -> Iterator[str]:
        """Yield the line of a lane and its end."""
        layout, lane = self.layout, self.picture.lanes[number]
        x, top = layout.centre(number), layout.middle(lane.first)
        if layout.shared and number != HOST:
            yield self.head(number, lane, layout.tops[lane.first] - HEAD - 2)
        bottom = layout.middle(self.last(lane))
        if number == HOST:
            top, bottom = TOP - 8, layout.bottom - GAP
        kept = layout.middle(lane.last)
        name = _lane_class(number)
        yield f'<path class="lane {name}" d="M{x:.1f} {top:.1f}V{min(kept, bottom):.1f}"/>' if number else (
            f'<path class="lane host" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
        )
        if lane.fate is Fate.LEAKED:
            end = max(bottom, kept + (0 if bottom > kept else 24))
            yield f'<path class="lane lost {name}" d="M{x:.1f} {kept:.1f}V{end:.1f}"/>'
            yield (
                f'<g class="warning"><path class="cross" d="M{x - 6:.1f} {end - 6:.1f}l12 12m0 -12l-12 12"/>'
                f'<text class="small" x="{x + 12:.1f}" y="{end + 4:.1f}">leaked</text></g>'
            )

    def bars(self) -> Iterator[str]:
        """Yield the host's waits: a bar from the host to each lane that it waits for."""
        layout = self.layout
        for number, row in enumerate(self.picture.rows):
            lanes = [lane for lane in dict.fromkeys(row.waits) if lane != HOST]
            if not lanes:
                continue
            y, start = layout.middle(number), layout.box(number).x
            right = max(layout.centre(lane) for lane in lanes)
            yield f'<rect class="bar" x="{start:.1f}" y="{y - 3:.1f}" width="{right - start:.1f}" height="6"/>'

    def ends(self) -> Iterator[str]:
        """Yield what stands on a lane where the host waits for it: a stop where it is destroyed, else a dot."""
        for number, row in enumerate(self.picture.rows):
            y = self.layout.middle(number)
            for lane in dict.fromkeys(row.waits):
                x = self.layout.centre(lane)
                if lane != HOST and row.destroys:
                    yield f'<rect class="stop" x="{x - 9:.1f}" y="{y - 9:.1f}" width="18" height="18" rx="3"/>'
                elif lane != HOST:
                    yield f'<circle class="stop" cx="{x:.1f}" cy="{y:.1f}" r="6"/>'

    # What links lanes.

    def arrows(self) -> Iterator[str]:
        """Yield the events: a dot where one is recorded, an arrow to what waits for it."""
        for number, arrow in enumerate(self.picture.arrows):
            points = self.layout.route(arrow, number)
            (x, y), (tip, level) = points[0], points[-1]
            back = -7 if tip > points[-2][0] else 7
            source, target = self.picture.rows[arrow.source], self.picture.rows[arrow.target]
            name = "wanted order, which does not lower" if arrow.wanted else f"event {arrow.event}" if arrow.event >= 0 else "event"
            about = f"{name}: line {target.place.line + 1} after line {source.place.line + 1}"
            wanted = " wanted" if arrow.wanted else ""
            number_text = "" if arrow.event < 0 else (
                f'<text class="small code dim" x="{x + (8 if back > 0 else -8):.1f}" y="{y + 4:.1f}" '
                f'text-anchor="{"start" if back > 0 else "end"}">e{arrow.event}</text>'
            )
            yield (
                f'<g class="{_lane_class(arrow.source_lane)}" role="img" aria-label="{_attribute(about)}">'
                f"<title>{_text(about)}</title>"
                f'<path class="arrow{wanted}" d="{_path(points)}"/>'
                f'<path class="tip" d="M{tip:.1f} {level:.1f}l{back} -4.5v9z"/>'
                f'<circle class="tip" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>{number_text}</g>'
            )

    def races(self) -> Iterator[str]:
        """Yield a line for each pair of accesses that a finding says are not ordered."""
        count = 0
        for number, row in enumerate(self.picture.rows):
            for mark in row.marks:
                for other in mark.others if mark.code in _RACES else ():
                    about = f"{mark.name}: line {self.picture.rows[other].place.line + 1} and line {row.place.line + 1}"
                    yield (
                        f'<path class="race" d="{_path(self.layout.link(other, number, count))}" role="img" '
                        f'aria-label="{_attribute(about)}"><title>{_text(about)}</title></path>'
                    )
                    count += 1

    def groups(self) -> Iterator[str]:
        """Yield the frames of loops, branches and blocks, the outer ones first."""
        for group in sorted(self.picture.groups, key=lambda g: g.depth):
            box = self.layout.group(group.first, group.last, group.depth)
            yield (
                f'<rect class="group{" loop" if group.loop else ""}" x="{box.x:.1f}" y="{box.y:.1f}" '
                f'width="{box.width:.1f}" height="{box.height:.1f}" rx="6"/>'
            )

    # Rows.

    def row(self, number: int, row: Row) -> Iterator[str]:
        """Yield the line number, the box and the findings of a row."""
        layout = self.layout
        y = layout.middle(number)
        yield f'<text class="small dim" x="{layout.left - 10}" y="{y + 4:.1f}" text-anchor="end">{row.place.line + 1}</text>'
        if row.does is Does.GROUP:
            x = layout.left + row.depth * 7 + 8
            loop = any(group.loop and group.first == number for group in self.picture.groups)
            text = ("↻ " if loop else "") + printable(row.label)
            yield (
                f'<g{_links(row.place, text)}><text class="code" font-weight="600" x="{x}" y="{y + 3:.1f}">'
                f"{_text(text)}</text></g>"
            )
        else:
            yield self.box(number, row)
        yield from self.marks(row.marks, layout.lanes_end, layout.tops[number] + 12)

    def box(self, number: int, row: Row) -> str:
        """Return the box of an op."""
        picture, place = self.picture, self.layout.box(number)
        lane = HOST if row.does is Does.WAIT else row.lane
        classes = ["box", _lane_class(lane)]
        classes += ["create"] * (row.does in (Does.CREATE, Does.JOIN)) + ["left"] * bool(row.left)
        classes += ["removed"] * row.removed
        about = [f"line {row.place.line + 1}: {shown(row)}", picture.lanes[lane].name]
        about += [f"waits for {picture.lanes[w].name}" for w in dict.fromkeys(row.waits) if w != HOST]
        about += [f"does not lower: {row.left}"] * bool(row.left) + ["removed before the lowering"] * row.removed
        about += [f"{mark.code} {mark.name}" for mark in row.marks]
        x = place.x + place.width / 2
        middle = place.middle
        rect = (
            f'x="{place.x:.1f}" y="{place.y:.1f}" width="{place.width:.1f}" height="{place.height:.1f}" '
            f'rx="{9 if row.does is Does.MEMORY else 4}"'
        )
        token = ""
        if row.token:
            token = (
                f'<text class="code small dim" x="{x:.1f}" y="{middle + 13:.1f}" text-anchor="middle">'
                f"{_text(_cut(row.token, LONGEST + 4))}</text>"
            )
            middle -= 6
        title = "\n".join([printable(row.source), *about[1:], *(m.message for m in row.marks)])
        return (
            f'<g class="{" ".join(classes)}"{_links(row.place, ", ".join(about))}><title>{_text(title)}</title>'
            f'<rect {rect}/><rect class="tint" {rect}/>'
            f'<text class="code" x="{x:.1f}" y="{middle + 4:.1f}" text-anchor="middle">'
            f"{_text(_cut(shown(row), LONGEST))}</text>{token}{self.badge(row, place.right, place.y)}</g>"
        )

    def badge(self, row: Row, x: float, y: float) -> str:
        """Return a sign for the corner of a box that findings speak of, in the colour of the worst."""
        if not row.marks:
            return ""
        worst = _SEVERITIES[min(mark.severity for mark in row.marks)]
        return f'<g class="{worst}"><path class="sign" d="M{x - 7:.1f} {y + 5:.1f}l6.5 -11l6.5 11z"/></g>'

    def marks(self, marks: Sequence[Mark], x: float, y: float) -> Iterator[str]:
        """Yield findings, one below the other."""
        for number, mark in enumerate(marks):
            about = f"{mark.code} {mark.name}: {mark.message}"
            yield (
                f'<g class="{_SEVERITIES[mark.severity]}"{_links(mark.place, about)}><title>{_text(about)}</title>'
                f'<text x="{x:.1f}" y="{y + number * MARK:.1f}">▲ {_text(f"{mark.code} {mark.name}")}</text></g>'
            )


_RACES = frozenset({"GA301", "GA302", "GA303", "GA304"})
"""Findings about two accesses that nothing orders, or that come in the wrong order."""


def _links(place: Place | None, about: str) -> str:
    label = f' role="link" tabindex="0" aria-label="{_attribute(about)}"'
    if place is None:
        return f' role="img" aria-label="{_attribute(about)}"'
    return f'{label} data-line="{place.line}" data-start="{place.span.start}" data-end="{place.span.end}"'


def _lane_class(lane: int) -> str:
    return "host" if lane == HOST else f"lane{(lane - 1) % 6}"


def _path(points: Sequence[Point]) -> str:
    first, *rest = points
    return f"M{first[0]:.1f} {first[1]:.1f}" + "".join(f"L{x:.1f} {y:.1f}" for x, y in rest)


def _cut(text: str, cells: int) -> str:
    text = printable(text)
    return text if width(text) <= cells else text[: max(cells - 1, 1)] + "…"


def _text(text: str) -> str:
    return escape("\n".join(map(printable, text.split("\n"))), quote=False)


def _attribute(text: str) -> str:
    return escape(printable(" ".join(text.split())))
