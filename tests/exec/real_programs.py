"""Runs a folder of programs with known output on the CPU, and compares the output.

    python -m tests.exec.real_programs FOLDER_OR_FILE ... --llvm 22 --only Integration

runs each `.mlir` file that has a function to run and, if it has RUN lines, a runner in them, and passes
its output to FileCheck. Prints one line for each:

- `right`: all CHECK lines match. Findings of the run follow.
- `ran`: it has no CHECK line.
- `refused`: it is not run; the line and the reason.
- `told`: CHECK lines do not match, and the run has found a bug in the program; its line. If they match
  when streams run as early as possible, which is luck on a GPU, that is reported.
- `wrong`: CHECK lines do not match, and nothing was found.
- `broken`: this tool fails.

The last line counts them. `right`, and `refused` with a line, are valid outcomes. If mlir-opt does not
lower ops without a dependency, the program is run after gpu-async-region, and the line reports that.
The exit status is 1 if a program is wrong or broken.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuasync_lsp.exec import Run, RunOptions
from gpuasync_lsp.exec.prepare import NotRunnable, Prepared, prepare
from gpuasync_lsp.exec.report import RunReport
from gpuasync_lsp.ide.run.passes import run_passes
from gpuasync_lsp.ide.runlines.matching import match
from gpuasync_lsp.ide.runlines.script import read_script
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.text import LineIndex

SYNCHRONOUS = "gpu-async-region"
_RUNNER = re.compile(r"\bmlir-(?:\w+-)*runner\b|\bmlir-cpu-runner\b")
_CHECKS = re.compile(r"\bFileCheck\b([^|]*)")


@dataclass(frozen=True)
class Row:
    """The outcome of one program."""

    verdict: str
    said: str = ""


def row_of(path: Path, version: int, timeout: float) -> Row | None:
    """Run one program and return its outcome; None if it cannot be run."""
    text = path.read_text(encoding="utf-8")
    checks = _checks(text)
    if checks is None or "func @main" not in text:
        return None
    passes: Sequence[str] | None = None
    try:
        prepared = _prepared(text, version, passes)
    except NotRunnable as error:
        if "exactly one async dependency" not in error.message:
            return _refused(error, text)
        passes = [SYNCHRONOUS]
        try:
            prepared = _prepared(text, version, passes)
        except NotRunnable as later:
            return _refused(later, text)
    row = _judged(_report(prepared, timeout), checks, path, f" after {SYNCHRONOUS}" if passes else "")
    if row.verdict == "told":
        early = _judged(_report(prepared, timeout, order="early"), checks, path, "")
        if early.verdict == "right":
            return Row("told", f"{row.said}; right with streams as early as legal")
    return row


def _prepared(text: str, version: int, passes: Sequence[str] | None) -> Prepared:
    steps, options = run_passes(passes, LineIndex(text))
    return prepare(text, version, "main", options, steps)


def _report(prepared: Prepared, timeout: float, order: str = "late") -> RunReport:
    settings = RunOptions(device="cpu", timeout=timeout, order=order)
    return Run(prepared.program, settings, prepared.place_of).wait(timeout + 30)


def _refused(error: NotRunnable, text: str) -> Row:
    line = 0 if error.span is None else LineIndex(text).position(error.span.start)[0] + 1
    return Row("refused" if line else "broken", f"{line}: {error.message}")


def _judged(report: RunReport, checks: Sequence[Sequence[str]], path: Path, how: str) -> Row:
    findings = [f for f in report.findings if f.level != "information"]
    told = "; ".join(f"{f.place.line}: {f.message} [{f.name}]" for f in findings[:2])
    if report.outcome == "refused":
        return Row("refused" if report.place.line else "broken", f"{report.place.line}: {report.message}")
    if not checks:
        return Row("ran", told + how)
    output = re.sub(r"[ \t]+", " ", report.output)  # Like FileCheck, unlike the package in patterns.
    with tempfile.TemporaryDirectory() as folder:
        missed = [
            each
            for options in checks
            for each in match([str(path.resolve()), *options], output, folder).mismatches
        ]
    if not missed:
        return Row("right", told + how)
    why = f"CHECK line {missed[0].line}: {missed[0].message}"
    if told or report.outcome not in ("ok", "findings"):
        return Row("told", f"{told or report.message}; {why}{how}")
    return Row("wrong", f"{why}{how}")


def _checks(text: str) -> list[list[str]] | None:
    """Return the options of each FileCheck that follows a runner; None if no RUN line has a runner."""
    try:
        runs = read_script(LineIndex(text)).runs
    except Unsupported:
        return None
    commands = [run.command for run in runs]
    if commands and not any(_RUNNER.search(command) for command in commands):
        return None
    return [
        [word for word in found[1].split() if word.startswith("-") and "PTX" not in word]
        for command in commands
        if _RUNNER.search(command)
        for found in _CHECKS.finditer(command)
    ]


def _files(given: Sequence[str], only: str) -> Iterator[Path]:
    for name in given:
        path = Path(name)
        found = sorted(path.rglob("*.mlir")) if path.is_dir() else [path]
        yield from (each for each in found if re.search(only, str(each)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the outcome of each program; return 1 if one is wrong or broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FOLDER_OR_FILE")
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--only", default="", help="a regular expression that paths have")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds of each run")
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for path in _files(given.files, given.only):
        try:
            row = row_of(path, given.llvm, given.timeout)
        except Exception as error:  # noqa: BLE001 - a row, whatever it is
            row = Row("broken", f"{type(error).__name__}: {error}")
        if row is not None:
            counts[row.verdict] += 1
            print(f"{row.verdict:8}{path.name}  {row.said}", flush=True)
    total = sum(counts.values())
    print(
        f"{total} programs: " + ", ".join(f"{number} {verdict}" for verdict, number in counts.most_common())
    )
    return 1 if counts["wrong"] or counts["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
