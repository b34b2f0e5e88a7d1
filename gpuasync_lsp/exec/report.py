"""The report of a program run: outcome, output, findings, values, timeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from gpuasync_lsp.text.plain_json import Json

Outcome = Literal["ok", "findings", "error", "timeout", "cancelled", "crashed", "refused"]
"""`ok`: ran to its end without findings. `findings`: ran to its end, with findings. `error`, `timeout`,
`cancelled`, `crashed`: started and did not end normally. `refused`: did not start; the message gives the
reason."""

Level = Literal["error", "warning", "information"]


@dataclass(frozen=True)
class Place:
    """A location in the source; -1 if unknown."""

    start: int = -1
    end: int = -1
    line: int = 0
    """The 1-based line number; 0 if unknown."""


FINDING_NAMES = frozenset(
    {
        *("assertion-failed", "cuda-error", "deadlock", "divergent-barrier", "divergent-shuffle"),
        *("division-without-quotient", "double-free", "host-access-to-device-memory", "illegal-address"),
        *("invalid-device", "invalid-handle", "invalid-launch", "invalid-pointer", "kernel-race"),
        *("kernel-race-same-value", "leaked-event", "leaked-stream", "misaligned-address", "out-of-bounds"),
        *("out-of-memory", "schedule-dependent-result", "schedules-not-compared", "use-after-event-destroy"),
    }
)
"""Names of findings that only runs report; all others are names of rules."""


@dataclass(frozen=True)
class RunRelated:
    """A related location of a run's finding."""

    place: Place
    message: str


@dataclass(frozen=True)
class RunFinding:
    """A finding of a run."""

    name: str
    """`data-race`, `invalid-handle`, ...; if a rule reports the problem statically, the rule's name."""

    level: Level
    place: Place
    message: str
    related: tuple[RunRelated, ...] = ()


@dataclass(frozen=True)
class Value:
    """A result, or an argument after the run."""

    name: str
    type: str
    preview: str
    changed: bool = False
    file: str = ""
    """The path of the file in which the value was saved; empty if it was not."""
    shape: tuple[int, ...] = ()
    elements: tuple[float | str, ...] | None = None
    """The first elements of an array, row by row; None if not requested.

    Values that JSON cannot represent as numbers (`nan`, integers beyond 2**53) are text."""


@dataclass(frozen=True)
class Operation:
    """One operation of the timeline; times in microseconds since the start of the run."""

    label: str
    lane: str
    """`host`, `stream 0`, ..."""

    start: float
    duration: float
    place: Place
    bytes: int = 0
    after: tuple[int, ...] = ()
    """Indices in the timeline of the direct predecessors in streams and through events; see `Timed`."""

    @property
    def bandwidth(self) -> float:
        """The bandwidth of a copy or memset in GB/s; 0 for other operations."""
        return self.bytes / self.duration / 1000 if self.bytes and self.duration else 0.0


@dataclass(frozen=True)
class RunReport:
    """The result of a program run."""

    outcome: Outcome
    message: str = ""
    """An explanation in one sentence, for outcomes other than `ok`, and for a run that launched no kernel."""

    device: str = ""
    output: str = ""
    output_truncated: bool = False
    findings: tuple[RunFinding, ...] = ()
    values: tuple[Value, ...] = ()
    operations: tuple[Operation, ...] = ()
    seconds: float = 0.0
    schedules: int = 1
    place: Place = field(default_factory=Place)
    """Where the program was when it ended early."""
    lacks: str = ""
    """The extra of this package, `run` or `cuda`, that the run requires and that is not installed."""

    @property
    def exit_code(self) -> int:
        """0: ran without findings; 1: ran with findings or an error; 2: could not run."""
        return {"ok": 0, "refused": 2}.get(self.outcome, 1)


PlaceOf = Callable[[int], Place]
"""Maps a site number of the worker to a source location."""


def report_from_json(data: Json, place_of: PlaceOf) -> RunReport:
    """Convert a report that a worker sent; site numbers become source locations."""
    return RunReport(
        outcome=data["outcome"],
        message=data.get("message", ""),
        device=data.get("device", ""),
        findings=tuple(finding_from_json(each, place_of) for each in data.get("findings", ())),
        values=tuple(_value(v) for v in data.get("values", ())),
        operations=tuple(
            Operation(
                label=o["label"],
                lane=o["lane"],
                start=o["start"],
                duration=o["duration"],
                place=place_of(o["site"]),
                bytes=o["bytes"],
                after=tuple(o.get("after", ())),
            )
            for o in data.get("operations", ())
        ),
        seconds=data.get("seconds", 0.0),
        schedules=data.get("schedules", 1),
        place=place_of(data.get("site", -1)),
        lacks=data.get("lacks", ""),
    )


def _value(data: Json) -> Value:
    value = Value(**data)
    elements = None if value.elements is None else tuple(value.elements)
    return replace(value, shape=tuple(value.shape), elements=elements)


def finding_from_json(data: Json, place_of: PlaceOf) -> RunFinding:
    """Convert one finding that a worker sent."""
    return RunFinding(
        name=data["name"],
        level=data["level"],
        place=place_of(data["site"]),
        message=data["message"],
        related=tuple(RunRelated(place_of(r["site"]), r["message"]) for r in data["related"]),
    )


def report_to_json(report: RunReport) -> Json:
    """Return a report as plain data, for `--output-format json` and for editors."""

    def place(p: Place) -> dict[str, int]:
        return {"start": p.start, "end": p.end, "line": p.line}

    return {
        "outcome": report.outcome,
        "message": report.message,
        "device": report.device,
        "output": report.output,
        "output_truncated": report.output_truncated,
        "findings": [
            {
                "name": f.name,
                "level": f.level,
                "place": place(f.place),
                "message": f.message,
                "related": [{"place": place(r.place), "message": r.message} for r in f.related],
            }
            for f in report.findings
        ],
        "values": [
            {"name": v.name, "type": v.type, "preview": v.preview, "changed": v.changed, "file": v.file}
            | ({} if v.elements is None else {"shape": v.shape, "elements": v.elements})
            for v in report.values
        ],
        "operations": [
            {
                "label": o.label,
                "lane": o.lane,
                "start": o.start,
                "duration": o.duration,
                "place": place(o.place),
                "bytes": o.bytes,
                "bandwidth": round(o.bandwidth, 3),
                "after": o.after,
            }
            for o in report.operations
        ],
        "seconds": report.seconds,
        "schedules": report.schedules,
        "place": place(report.place),
        "lacks": report.lacks,
    }
