"""The diagram in Graphviz' DOT language, for users who want a different layout: `dot -Tsvg`.

Each lane is a cluster with its ops in order. Events are dashed edges, waits of the host are bold edges, and
races are red edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from gpuasync_lsp.ide.streams.model import HOST, RACES, Does, Fate, Picture
from gpuasync_lsp.text import Severity

_COLORS = ("#4269d0", "#3ca951", "#b07d00", "#a463f2", "#0e8f93", "#c2410c")


def render_dot(pictures: Sequence[Picture]) -> str:
    """Return one graph with a cluster for each function."""
    lines = [
        "digraph streams {",
        '  graph [rankdir=TB, newrank=true, fontname="sans-serif"];',
        '  node [shape=box, style=rounded, fontname="sans-serif", fontsize=11];',
        '  edge [fontname="sans-serif", fontsize=9];',
    ]
    for number, picture in enumerate(pictures):
        lines += [f"  {line}" for line in _function(picture, f"f{number}")]
    return "\n".join([*lines, "}"]) + "\n"


def _function(picture: Picture, prefix: str) -> Iterator[str]:
    yield f"subgraph cluster_{prefix} {{"
    yield f"  label={_quoted(picture.title())};"
    for number, lane in enumerate(picture.lanes):
        rows = [n for n, row in enumerate(picture.rows) if row.lane == number and row.does is not Does.GROUP]
        if not rows:
            continue
        leaked = f" ({lane.fate.value})" if lane.fate in (Fate.LEAKED, Fate.LEAKED_SOMETIMES) else ""
        yield f"  subgraph cluster_{prefix}_{number} {{"
        label = f"{lane.name} {lane.other_token}".strip() + leaked
        yield f"    label={_quoted(label)}; color={_quoted(_color(number))};"
        for row in rows:
            yield f"    {prefix}_r{row} [{_attributes(picture, row)}];"
        for before, after in pairwise(rows):
            yield f"    {prefix}_r{before} -> {prefix}_r{after} [color={_quoted(_color(number))}];"
        yield "  }"
    yield from (f"  {line}" for line in _edges(picture, prefix))
    yield "}"


def _edges(picture: Picture, prefix: str) -> Iterator[str]:
    for arrow in picture.arrows:
        style = "dotted" if arrow.wanted else "dashed"
        ends = f"{prefix}_r{arrow.source} -> {prefix}_r{arrow.target}"
        yield f"{ends} [style={style}, label={_quoted(arrow.name)}];"
    for number, row in enumerate(picture.rows):
        for lane in dict.fromkeys(row.waits):
            before = [n for n in range(number) if picture.rows[n].lane == lane]
            if lane != HOST and before:
                yield f'{prefix}_r{before[-1]} -> {prefix}_r{number} [style=bold, label="host waits"];'
        for mark in row.marks:
            for other in mark.others if mark.code in RACES else ():
                yield (
                    f"{prefix}_r{min(other, number)} -> {prefix}_r{max(other, number)} "
                    f"[dir=none, color=red, fontcolor=red, label={_quoted(mark.name)}];"
                )


def _attributes(picture: Picture, number: int) -> str:
    row = picture.rows[number]
    text = f"{row.label}\nline {row.place.line + 1}"
    inside = [g for g in picture.groups if g.first < number <= g.last]
    if inside:
        text += f" in {picture.rows[max(inside, key=lambda g: g.depth).first].label}"
    for mark in row.marks:
        text += f"\n{mark.code} {mark.name}"
    attributes = {"label": text, "tooltip": row.source}
    if row.left or any(mark.severity is Severity.ERROR for mark in row.marks):
        attributes["color"] = "red"
    if row.left or row.removed:
        attributes["style"] = "rounded,dashed"
    if row.does is Does.WAIT:
        attributes["shape"] = "box3d"
    return ", ".join(f"{key}={_quoted(value)}" for key, value in attributes.items())


def _color(lane: int) -> str:
    return "gray40" if lane == HOST else _COLORS[(lane - 1) % len(_COLORS)]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
