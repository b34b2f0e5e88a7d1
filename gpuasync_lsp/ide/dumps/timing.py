"""Times of passes: `--mlir-timing` reports in a dump, and time stamps of a log.

    ----Wall Time----  ----Name----
      0.0002 (  1.1%)  Canonicalizer
      0.0001 (  0.5%)  'func.func' Pipeline
      0.0000 (  0.2%)    CSE

mlir/lib/Support/Timing.cpp prints the report, as text or JSON, when a pass manager ends: it covers the
preceding sections. It gives a single time for a pass on all functions of a nested pipeline. With
`--mlir-timing-display=list` it gives a single time for all runs of a pass.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gpuasync_lsp.ide.dumps.logs import Log
from gpuasync_lsp.ide.dumps.passes import PassRun

_TITLE = "... Execution time report ..."
_ROW = re.compile(
    r"^ *(\d+\.\d+) \( *\d+\.\d%\)(?: +(\d+\.\d+) \( *\d+\.\d%\))?  ( *)([^ \r\n][^\r\n]*)", re.MULTILINE
)
"""Matches a row of a report: the wall time (after the user time if there are threads), and the name."""
_JSON_ROW = re.compile(
    r'^( *)\{(?:"user": \{"duration": *[\d.]+, "percentage": *[\d.]+\}, )?'
    r'"wall": \{"duration": *(\d+\.\d+), "percentage": *[\d.]+\}, "name": "([^"\n]*)"',
    re.MULTILINE,
)
_PIPELINE = re.compile(r"'([^']*)' Pipeline$")
_LONGEST = 4_000_000
"""The maximum number of characters of a report that are read."""


@dataclass(frozen=True, slots=True)
class _Row:
    depth: int
    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class _Report:
    start: int
    rows: tuple[_Row, ...]

    @property
    def is_list(self) -> bool:
        """Whether the report is a list, in which each pass appears once with its total time."""
        return any(row.name == "root" for row in self.rows)


def timed(runs: Sequence[PassRun], log: Log) -> list[PassRun]:
    """Return `runs`, whose spans are in `log.text`, with the times from the log."""
    found: list[PassRun] = []
    at = 0
    for report in _reports(log.text):
        part = [run for run in runs[at:] if run.section.header.start < report.start]
        found += _by_report(part, report)
        at += len(part)
    found += runs[at:]
    return [run if run.seconds is not None else _by_stamps(run, log) for run in found]


def _by_stamps(run: PassRun, log: Log) -> PassRun:
    if not run.class_name:
        return run
    return replace(run, seconds=log.took(run.section.header.start))


def _by_report(runs: Sequence[PassRun], report: _Report) -> Iterator[PassRun]:
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    pipelines: list[tuple[int, str]] = []
    nested: set[str] = set()
    for row in report.rows:
        while pipelines and pipelines[-1][0] >= row.depth:
            pipelines.pop()
        pipeline = _PIPELINE.match(row.name)
        if pipeline is not None:
            pipelines.append((row.depth, pipeline[1]))
            nested.add(pipeline[1])
        else:
            times[pipelines[-1][1] if pipelines else "", row.name].append(row.seconds)
    seen: Counter[tuple[str, str]] = Counter()
    for run in runs:
        anchor = run.scope.partition(" ")[0]
        known = times[anchor if anchor in nested and not report.is_list else "", run.class_name]
        if report.is_list:
            yield replace(run, seconds=known[0] if known else None)
            continue
        number = seen[run.scope, run.class_name]
        seen[run.scope, run.class_name] += 1
        yield replace(run, seconds=known[number] if number < len(known) else None)


def _reports(text: str) -> list[_Report]:
    found: list[_Report] = []
    at = text.find(_TITLE)
    while at >= 0:
        following = text.find(_TITLE, at + len(_TITLE))
        end = min(at + _LONGEST, len(text) if following < 0 else following)
        rows: list[_Row] = []
        for row in _ROW.finditer(text, at, end):
            rows.append(_Row(len(row[3]), row[4].rstrip(), float(row[2] or row[1])))
            if row[4].startswith("Total"):
                break
        found.append(_Report(at, tuple(rows)))
        at = following
    if not found:
        rows = [_Row(len(row[1]), row[3], float(row[2])) for row in _JSON_ROW.finditer(text)]
        first = _JSON_ROW.search(text)
        if first is not None:
            found.append(_Report(first.start(), tuple(rows)))
    return found


def placed(run: PassRun, log: Log) -> PassRun:
    """Return a pass with its spans, which are in `log.text`, mapped to the log."""
    rope = log.rope
    if rope is None:
        return run
    sections = [
        each and replace(each, header=rope.span(each.header), body=rope.span(each.body))
        for each in (run.section, run.before)
    ]
    assert sections[0] is not None, "a pass has a section"
    return replace(
        run,
        section=sections[0],
        before=sections[1],
        begin=tuple(map(rope.finding, run.begin)),
        end=tuple(map(rope.finding, run.end)),
    )
