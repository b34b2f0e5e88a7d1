"""A run's report as text, for the terminal and for the result document of an editor."""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.exec.report import Operation, Place, RunReport

_TITLES = {
    "ok": "ran without findings",
    "findings": "ran with findings",
    "error": "ended with an error",
    "timeout": "timed out",
    "cancelled": "was cancelled",
    "crashed": "crashed",
    "refused": "cannot be run",
}

_NOT_RUN = ("cancelled", "refused")
"""Outcomes for which no time is shown."""


def render(report: RunReport, name: str, *, profile: bool = False) -> str:
    """Return the report as text; `name` is the file name, `profile` adds the table of operations."""
    return "\n".join(_lines(report, name, profile)) + "\n"


def _lines(report: RunReport, name: str, profile: bool) -> Iterator[str]:
    if report.output:
        yield report.output.rstrip("\n")
        if report.output_truncated:
            yield "... (more was printed: the output limit is reached)"
    for value in report.values:
        mark = " (changed)" if value.changed and not value.name.startswith("result") else ""
        saved = f", saved as {value.file}" if value.file else ""
        yield f"{value.name} : {value.type}{mark}{saved}"
        yield from (f"  {line}" for line in value.preview.splitlines())
    for finding in report.findings:
        yield f"{_at(name, finding.place)}: {finding.level}: {finding.message} [{finding.name}]"
        for related in (each for each in finding.related if each.place.line):
            yield f"{_at(name, related.place)}: note: {related.message}"
    if profile:
        yield from _table(report)
    device = f" on {'the CPU' if report.device == 'cpu' else report.device}" if report.device else ""
    where = f" (line {report.place.line})" if report.place.line else ""
    title = _TITLES[report.outcome]
    message = f": {report.message}{where}" if report.message and report.message not in title else ""
    time = f" in {report.seconds * 1000:.1f} ms{_orders(report)}" if report.outcome not in _NOT_RUN else ""
    yield f"{name} {title}{device}{time}{message}"


def _at(name: str, place: Place) -> str:
    return f"{name}:{place.line}" if place.line else name


def _orders(report: RunReport) -> str:
    return f", {report.schedules} schedules" if report.schedules > 1 else ""


def _table(report: RunReport) -> Iterator[str]:
    if not report.operations:
        return
    yield f"{'line':>6} {'start us':>12} {'time us':>12} {'GB/s':>8}  {'lane':<16} operation"
    for operation in report.operations:
        bandwidth = f"{operation.bandwidth:.2f}" if operation.bytes else ""
        yield (
            f"{operation.place.line or '':>6} {operation.start:>12.1f} {operation.duration:>12.1f} "
            f"{bandwidth:>8}  {operation.lane:<16} {operation.label}"
        )
    yield from _summary(report.operations)


def _summary(operations: tuple[Operation, ...]) -> Iterator[str]:
    lanes: dict[str, float] = {}
    for operation in operations:
        lanes[operation.lane] = lanes.get(operation.lane, 0.0) + operation.duration
    for lane, busy in lanes.items():
        words = "blocked in waits" if lane == "host" else "busy"
        yield f"{lane}: {busy:.1f} us {words}"
    yield f"overlap between streams: {overlap(operations):.1f} us"


def overlap(operations: tuple[Operation, ...]) -> float:
    """Return the microseconds during which at least two streams were busy."""
    edges: list[tuple[float, int]] = []
    for operation in operations:
        if operation.lane != "host":
            edges += [(operation.start, 1), (operation.start + operation.duration, -1)]
    total, running, last = 0.0, 0, 0.0
    for time, change in sorted(edges):
        if running > 1:
            total += time - last
        running += change
        last = time
    return total
