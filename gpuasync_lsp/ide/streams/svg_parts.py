"""Shared parts of the two SVG drawings of streams: the document, its elements, descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import ceil

from gpuasync_lsp.ide.streams.layout import Box, Point, shown, written
from gpuasync_lsp.ide.streams.model import HOST, RACES, Mark, Picture, Place, Row
from gpuasync_lsp.ide.streams.svg_style import LANES, style_sheet
from gpuasync_lsp.reporting.terminal import printable, width
from gpuasync_lsp.text import Severity

SEVERITIES = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "information",
    Severity.HINT: "information",
}

MOST_DASHED = 40
"""The maximum number of races drawn with dashed lines. Hundreds of long dashed lines take seconds to paint,
and none can be followed; a larger number is drawn pale, and the streams explorer shows the races of one op at
a time."""


def document(wide: float, high: float, title: str, parts: Sequence[str], *, compact: bool = False) -> str:
    """Return the SVG document."""
    wide, high = ceil(wide), ceil(high)
    return (
        tag(
            "svg",
            tag("style", style_sheet(compact=compact)),
            tag("rect", class_="paper", width=wide, height=high),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            width=wide,
            height=high,
            viewBox=f"0 0 {wide} {high}",
            class_="gpuasync-streams compact" if compact else "gpuasync-streams",
            role="graphics-document document",
            aria_label=title,
        )
        + "\n"
    )


def nothing() -> str:
    """Return the picture of a file without streams."""
    title = "No function has gpu ops with streams."
    return document(420, 48, title, [label(title, 12, 30)])


def op_text(row: Row) -> str:
    """Return the visible text of an op, which speech control uses to address the op."""
    return " ".join(filter(None, (shown(row), row.token)))


def facts(picture: Picture, row: Row, lane: int) -> Iterator[str]:
    """Yield the descriptions of an op on a lane."""
    yield picture.lanes[lane].name
    waits = [picture.lanes[w].object_name for w in dict.fromkeys(row.waits) if w != HOST]
    if waits:
        yield f"waits for {' and '.join(waits)}"
    if row.left:
        yield f"does not lower: {row.left}"
    if row.removed:
        yield "removed before lowering"


def races(rows: Sequence[Row], way: Callable[[int, int, int], str]) -> Iterator[str]:
    """Yield a line for each pair of accesses that a finding reports as unordered.

    `way` returns the path between two rows; its last argument is the line's number.
    """
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
        yield tag(
            "path",
            tag("title", text_of(about)),
            class_=f"race{many}",
            d=way(other, number, count),
            data_between=f"{lines[0]} {lines[1]}",
            role="img",
            aria_label=about,
        )


def more_text(count: int) -> str:
    """Return the text for `count` findings that are not shown."""
    return f"and {count} more"


def mark_name(mark: Mark) -> str:
    """Return the text that names a finding."""
    return f"{mark.code} {mark.name}"


def finding(mark: Mark, x: float, y: float, sign: str = "▲ ") -> str:
    """Return the element for a finding, which links to the source."""
    about = f"{mark_name(mark)}: {mark.message}"
    return tag(
        "g",
        tag("title", text_of(about)),
        label(f"{sign}{mark_name(mark)}", x, y),
        class_=SEVERITIES[mark.severity],
        **leads_to(mark.place, about),
        **({"data_fix": ""} if mark.has_fix else {}),
    )


def leads_to(place: Place | None, about: str) -> dict[str, object]:
    """Return the attributes of an element that links to a source location."""
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


def color(picture: Picture, lane: int) -> str:
    """Return the CSS class of a lane's color, which depends only on the stream's number."""
    if lane == HOST:
        return "host"
    numbered = _STREAM.match(picture.lanes[lane].name)
    return f"lane{(int(numbered[1]) if numbered is not None else lane - 1) % LANES}"


def rect(box: Box, radius: float, name: str) -> str:
    """Return a rectangle with a CSS class."""
    return tag("rect", class_=name, x=box.x, y=box.y, width=box.width, height=box.height, rx=radius)


def line(x: float, top: float, bottom: float, name: str, lane: int = HOST) -> str:
    """Return a vertical line in a lane."""
    return tag("path", class_=name, d=f"M{x:.1f} {top:.1f}V{bottom:.1f}", data_lane=lane)


def path(points: Sequence[Point]) -> str:
    """Return the `d` attribute of a path through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def label(text: str, x: float, y: float, name: str = "") -> str:
    """Return a text element with a CSS class."""
    return tag("text", text_of(text), x=x, y=y, **({"class_": name} if name else {}))


def tag(name: str, *content: str, **attributes: object) -> str:
    """Return an element; `class_` and `data_line` become the attributes `class` and `data-line`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items()
    )
    inside = "".join(content) if name in ("text", "tspan", "title", "style") else "\n".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return escape(printable(" ".join(str(value).split())))


def text_of(text: str) -> str:
    """Return a string escaped for XML."""
    return escape("\n".join(map(printable, text.split("\n"))), quote=False)


def cut(text: str, cells: int) -> str:
    """Return a string cut to `cells` cells, with an ellipsis if it is longer."""
    text = printable(text)
    return text if width(text) <= cells else text[: max(cells - 1, 1)] + "…"
