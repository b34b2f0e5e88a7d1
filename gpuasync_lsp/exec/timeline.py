"""A run's timeline as a Chrome trace (opens in Perfetto and chrome://tracing) and as an SVG diagram."""

from __future__ import annotations

import math
import re
from html import escape

from gpuasync_lsp.exec.report import Operation, RunReport
from gpuasync_lsp.text.plain_json import Json


def chrome_trace(report: RunReport, name: str) -> Json:
    """Return the timeline in Chrome's trace event format; each lane is a thread."""
    lanes = _lanes(report)
    events: list[Json] = [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": f"{name} ({report.device})"}}
    ]
    for number, lane in enumerate(lanes):
        events.append({"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": lane}})
    flow = 0
    for operation in report.operations:
        arguments: Json = {"line": operation.place.line}
        if operation.bytes:
            arguments |= {"bytes": operation.bytes, "GB/s": round(operation.bandwidth, 3)}
        events.append(
            {
                "ph": "X",
                "pid": 1,
                "tid": lanes.index(operation.lane),
                "name": operation.label,
                "ts": operation.start,
                "dur": operation.duration,
                "args": arguments,
            }
        )
        for each in operation.after:
            before = report.operations[each]
            flow += 1
            # Both ends of an arrow must be within the operations that it connects.
            ended = min(before.start + before.duration, operation.start + operation.duration)
            ends = (("s", before, before.start), ("f", operation, max(operation.start, ended)))
            for phase, one, time in ends:
                event = {"ph": phase, "name": "then", "cat": "order", "id": flow, "bp": "e"}
                events.append(event | {"pid": 1, "tid": lanes.index(one.lane), "ts": time})
    return {"traceEvents": events, "displayTimeUnit": "ms"}


ROW, LEFT, WIDTH, TOP = 28, 110, 900, 24
STREAMS = ("#2a5fd0", "#2e7d32", "#a35a00", "#8e3bbd", "#00767a", "#b3305f")
"""The colors of streams on a light background, the same as in stream diagrams (a test compares them)."""
LETTER = 7.5
"""The width of a letter in pixels, an overestimate; a name that would not fit its bar is omitted."""


def svg(report: RunReport) -> str:
    """Return the timeline as an SVG diagram: a row per lane, a bar per operation with a tooltip."""
    lanes = _lanes(report)
    left = max(LEFT, 10 + LETTER * max(map(len, lanes), default=0))
    end = max((o.start + o.duration for o in report.operations), default=1.0) or 1.0
    height = TOP + ROW * max(len(lanes), 1) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + WIDTH + 20:g} {height}" '
        'font-family="sans-serif" font-size="12" role="img" aria-label="timeline">'
    ]
    for number, lane in enumerate(lanes):
        y = TOP + number * ROW
        parts.append(f'<text x="4" y="{y + 17}" fill="currentColor">{escape(lane)}</text>')
        parts.append(
            f'<line x1="{left:g}" x2="{left + WIDTH:g}" y1="{y + ROW}" y2="{y + ROW}" stroke="currentColor" '
            'stroke-opacity="0.2"/>'
        )
    step = _round_step(end)
    unit, size = next((unit, size) for unit, size, least in _UNITS if end >= least)
    bottom = TOP + ROW * max(len(lanes), 1)
    for tick in range(int(end / step) + 1):
        x = left + WIDTH * tick * step / end
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 4}" y2="{bottom + 4}" stroke="currentColor" '
            'stroke-opacity="0.15"/>'
            f'<text x="{x:.1f}" y="{height - 6}" text-anchor="middle" fill="currentColor">'
            f"{tick * step / size:g} {unit}</text>"
        )
    parts += [_bar(operation, lanes.index(operation.lane), left, end) for operation in report.operations]
    return "\n".join([*parts, "</svg>"]) + "\n"


_UNITS = (("s", 1e6, 1e6), ("ms", 1e3, 1e3), ("us", 1.0, 0.0))
"""Units of time, with their length in microseconds and the minimum duration of a program for each."""


_STREAM = re.compile(r"stream ([0-9]+)")
_HOST = "#6b7280"


def _bar(operation: Operation, row: int, left: float, end: float) -> str:
    x = left + WIDTH * operation.start / end
    width = max(WIDTH * operation.duration / end, 1.0)
    color = _color(operation.lane)
    title = f"{operation.label}, line {operation.place.line}: {operation.duration:.1f} us"
    if operation.bytes:
        title += f", {operation.bandwidth:.2f} GB/s"
    y = TOP + row * ROW
    name = ""
    if len(operation.label) * LETTER < width:
        name = (
            f'<text x="{x + width / 2:.1f}" y="{y + 18}" text-anchor="middle" fill="#fff" '
            f'pointer-events="none">{escape(operation.label)}</text>'
        )
    return (
        f'<rect x="{x:.1f}" y="{y + 4}" width="{width:.1f}" height="{ROW - 8}" rx="2" '
        f'fill="{color}"><title>{escape(title)}</title></rect>{name}'
    )


def _round_step(end: float) -> float:
    """Return the tick distance: 1, 2 or 5 times a power of ten that divides `end` into at most six parts."""
    power = 10.0 ** math.floor(math.log10(end / 6))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= end / 6)


def _color(lane: str) -> str:
    """Return the color of a lane; a stream has the same color in all diagrams with a light background."""
    numbered = _STREAM.match(lane)
    if numbered is not None:
        return STREAMS[int(numbered[1]) % len(STREAMS)]
    return STREAMS[-1] if lane.startswith("caller's stream") else _HOST


def _lanes(report: RunReport) -> list[str]:
    names = {operation.lane for operation in report.operations}
    return sorted(names, key=lambda lane: (lane != "host", len(lane), lane))
