"""Compares the findings of the rules in a generated program with the behavior of its lowered code, op by
op."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.text import LineIndex
from tests.generated.checker import Verdict, functions, judge
from tests.generated.real import Lowered

KINDS = {
    "GA201": "double",
    "GA206": "double",
    "GA202": "late",
    "GA203": "event",
    "GA204": "stream",
    "GA205": "yield",
    "GA209": "null",
    "GA401": "leak",
    "GA402": "leak",
}
REFUSED = re.compile(r"GA1(0\d|1[012])$")
MADE = re.compile("created here|is defined here")
PIPELINE = ("convert-scf-to-cf",)


@dataclass
class Said:
    """The findings of the rules in a program: lines per kind, and the ops that do not lower."""

    lines: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    made: dict[tuple[str, int], set[int]] = field(default_factory=dict[tuple[str, int], set[int]])
    """Per kind and line: where the streams or events at fault were created, if the finding names it."""
    refused: set[int] = field(default_factory=set[int])

    def of(self, kind: str) -> set[int]:
        return self.lines.get(kind, set())


def said(text: str, version: int) -> Said:
    """Return the findings of the rules in a program."""
    index = LineIndex(text)
    found = Said()

    def line(offset: int) -> int:
        return index.position(offset)[0] + 1

    for finding in check_source(text, Config(version, pipeline=PIPELINE)):
        at = line(finding.span.start)
        if REFUSED.match(finding.code):
            found.refused.add(at)
        kind = KINDS.get(finding.code)
        # The checker follows only streams to the end of a function, not events.
        is_event = finding.code == "GA402" and finding.message.startswith("The event for")
        if kind is None or is_event:
            continue
        made = [
            line(r.span.start)
            for r in finding.related
            if re.search("created here|is defined here", r.message)
        ]
        if kind == "leak":
            at = made[-1] if made else at
        found.lines.setdefault(kind, set()).add(at)
        if made:
            found.made.setdefault((kind, at), set()).update(made)
    return found


@dataclass
class Compared:
    """The comparison of one program in one release."""

    differences: list[str] = field(default_factory=list[str])
    faults: int = 0
    """The number of faults in the lowered code."""
    refused: bool = False
    complete: bool = True
    merged: bool = False
    """Whether equal blocks were merged, with new block arguments."""


def compare(text: str, version: int, lowered: Lowered) -> Compared:
    """Return the disagreements between rules and lowered code: `missed KIND LINE`, `false KIND LINE`."""
    found = said(text, version)
    if version == 16 and "scf.index_switch" in text:
        # convert-scf-to-cf of 16 does not convert this op, or fails, so there is no lowered code.
        return Compared(complete=False)
    if lowered.error:
        return Compared(list(_failed(found, lowered.error, version)), 1, True)
    function = next(functions(lowered.text))
    verdict = judge(function)
    left = {op.line for op in function.left}
    compared = Compared([], len(verdict.faults | verdict.yielded) + len(left), bool(left), verdict.complete)
    merged = _of_tokens(text) - function.lines if not found.refused else set[int]()
    for lines in found.lines.values():
        # The equal block has the same findings as one that was merged into it.
        lines -= merged
    compared.merged = bool(merged)
    compared.differences += _lines("refused", left, found.refused)
    if not left and not found.refused and verdict.complete:
        # Rules that check values, not paths, may report an op that no path reaches.
        for kind in ("event", "stream", "yield", "null"):
            found.lines[kind] = found.of(kind) & verdict.ran
        compared.differences += _faults(verdict, found)
    return compared


def _of_tokens(text: str) -> set[int]:
    """Return the lines of ops with tokens: they can only vanish if equal blocks are merged."""
    return {
        number
        for number, line in enumerate(text.split("\n"), 1)
        if re.search(r"gpu\.(wait( async|.*\[)|memset|memcpy|dealloc|launch_func)", line)
    }


def _failed(found: Said, error: str, version: int) -> Iterator[str]:
    """Yield a difference if the pass failed but no rule reports an op that does not lower."""
    if not found.refused:
        yield f"missed failure: {error}"


def _lines(kind: str, truth: set[int], ours: set[int]) -> Iterator[str]:
    yield from (f"missed {kind} {line}" for line in sorted(truth - ours))
    yield from (f"false {kind} {line}" for line in sorted(ours - truth))


def _faults(verdict: Verdict, found: Said) -> Iterator[str]:
    handed_out = {fault.made for fault in verdict.yielded}
    unsure = verdict.confused | handed_out
    # A wait on null is a separate fault; through a block argument it is also reported as destroyed twice.
    mistaken = {f.line for f in verdict.faults if f.kind in ("event", "stream", "null")}
    for kind in ("double", "late"):
        truth = {f.line for f in verdict.faults if f.kind == kind}
        doubtful = {f.line for f in verdict.doubtful if f.kind == kind}
        if kind == "late":
            # async.yield uses the stream and destroys it: one finding is sufficient.
            truth -= found.of("double") - found.of("late")
        tainted = {
            line
            for line in found.of(kind) - truth
            if line in mistaken | doubtful or unsure & found.made.get((kind, line), unsure) or handed_out
        }
        yield from _lines(kind, truth, found.of(kind) - tainted)
    truth = {f.line for f in verdict.faults if f.kind == "event" and f.made not in handed_out}
    known = {f.line for f in verdict.faults if f.kind == "event"}
    yield from _lines("event", truth, found.of("event") - (known - truth))
    truth = {f.line for f in verdict.faults if f.kind == "stream"}
    # One finding represents a chain of ops on the event.
    yield from _lines(
        "stream",
        truth if truth and not found.of("stream") else truth & found.of("stream"),
        found.of("stream"),
    )
    # A stream that is yielded again after an await has one finding, where it is yielded first.
    told = {f.made for f in verdict.yielded if f.line in found.of("yield")}
    truth = {f.line for f in verdict.yielded if f.made not in told}
    yield from _lines(
        "yield", truth | found.of("yield") & {f.line for f in verdict.yielded}, found.of("yield")
    )
    leaks = {f.made for f in verdict.faults if f.kind == "leak"} - unsure
    yield from _lines("leak", leaks, found.of("leak") - unsure)
    null = any(f.kind == "null" for f in verdict.faults)
    if null and not found.of("null"):
        yield "missed null"
