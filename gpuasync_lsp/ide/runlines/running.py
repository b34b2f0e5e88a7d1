"""Runs the RUN lines of a test: plans all of them first, and starts only mlir-opt and FileCheck.

The programs' time and the data between them are bounded. The programs run in a temporary folder, which also
contains the files that RUN lines create (`%t`), and is removed afterwards.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from gpuasync_lsp.ide.runlines.closest import closest
from gpuasync_lsp.ide.runlines.matching import Mismatch, match
from gpuasync_lsp.ide.runlines.messages import failures_in
from gpuasync_lsp.ide.runlines.plan import Stage, Stages, Tool, plan
from gpuasync_lsp.ide.runlines.results import Failure, FileResult, Kind, RunResult, Verdict
from gpuasync_lsp.ide.runlines.script import RunLine, read_script
from gpuasync_lsp.ide.runlines.substitution import Paths
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.processes import Command, Ended, TooMuch, run_bounded
from gpuasync_lsp.text import LineIndex
from gpuasync_lsp.text.files import MOST_OF_SOURCE, read_file

TIMEOUT = 60.0
"""The time limit of an mlir-opt call, in seconds."""

Stopped = Callable[[], bool]


class Engine(Protocol):
    """A program, or its emulation, that RUN lines run as mlir-opt."""

    @property
    def name(self) -> str:
        """The name of the engine to show to the user."""
        ...

    @property
    def words(self) -> frozenset[str]:
        """The program names in a RUN line that the engine replaces."""
        ...

    def run(
        self, arguments: Sequence[str], given: bytes, paths: Paths, merged: bool, stopped: Stopped
    ) -> Ended:
        """Execute an mlir-opt call. Raises Unsupported, NotAllowed, OSError, TimeoutError."""
        ...


@dataclass(frozen=True, slots=True)
class OwnMlirOpt:
    """The user's own mlir-opt, as their settings or the command line name it."""

    command: Command

    @property
    def name(self) -> str:
        """The program as the user wrote it."""
        return self.command.name

    @property
    def words(self) -> frozenset[str]:
        """`mlir-opt`, and the program's own name, with and without its release."""
        return frozenset({"mlir-opt", os.path.basename(self.command.name)})

    def run(
        self, arguments: Sequence[str], given: bytes, paths: Paths, merged: bool, stopped: Stopped
    ) -> Ended:
        """Start the program in the folder of temporary files."""
        command = self.command.with_arguments(*arguments)
        try:
            return run_bounded(command, given, paths.temporary, TIMEOUT, MOST_OF_SOURCE, stopped, merged)
        except TooMuch as error:
            raise Unsupported(f"{self.name}: {error}") from error


def run_test(
    lines: LineIndex,
    name: str,
    path: Path | None,
    engine: Engine,
    stopped: Stopped = lambda: False,
    only_line: int | None = None,
) -> FileResult:
    """Run the RUN lines of a test, or the one that begins in `only_line`, and return the results.

    `path` is the text's path on disk, where the file may not exist yet. Raises NoFileCheck, NotAllowed,
    OSError if a program cannot be started, and InterruptedError when `stopped` returns True.
    """
    try:
        script = read_script(lines)
    except Unsupported as error:
        return FileResult(name, Verdict.UNSUPPORTED, reason=str(error), line=error.line)
    runs = [run for run in script.runs if only_line is None or run.line == only_line]
    if not runs:
        return FileResult(name, Verdict.UNRESOLVED, reason="it has no RUN line")
    with tempfile.TemporaryDirectory(prefix="gpuasync-test-", ignore_cleanup_errors=True) as made:
        temporary = os.path.realpath(made)
        paths = Paths(_source(lines, path, temporary), _folder(path, temporary), temporary)
        results = tuple(_run_line(run, lines, paths, engine, stopped) for run in runs)
    verdict = _verdict(results)
    if script.fails and verdict in (Verdict.PASS, Verdict.FAIL):
        verdict = Verdict.XFAIL if verdict is Verdict.FAIL else Verdict.XPASS
    return FileResult(name, verdict, results, engine=engine.name, notes=script.conditions)


def _source(lines: LineIndex, path: Path | None, temporary: str) -> str:
    """Return the file for `%s`, which is the one on disk, or a copy of an unsaved document."""
    data = lines.text.encode(errors="replace")
    if path is not None:
        with suppress(OSError):
            if read_file(path, MOST_OF_SOURCE) == data:
                return str(path.absolute())
    folder = os.path.join(temporary, "unsaved")
    os.mkdir(folder)
    copy = os.path.join(folder, path.name if path is not None else "test.mlir")
    Path(copy).write_bytes(data)
    return copy


def _folder(path: Path | None, temporary: str) -> str:
    return temporary if path is None else str(path.absolute().parent)


def _verdict(results: Sequence[RunResult]) -> Verdict:
    verdicts = {result.verdict for result in results}
    return next(each for each in (Verdict.FAIL, Verdict.UNSUPPORTED, Verdict.PASS) if each in verdicts)


def _run_line(run: RunLine, lines: LineIndex, paths: Paths, engine: Engine, stopped: Stopped) -> RunResult:
    try:
        pipelines = plan(run, paths, engine.words)
        job = _Job(run, lines, paths, engine, stopped)
        for each in pipelines:
            if (each.after == "&&" and job.status) or (each.after == "||" and not job.status):
                continue
            job.pipeline(each)
    except Unsupported as error:
        return RunResult(run, Verdict.UNSUPPORTED, unsupported=str(error))
    verdict = Verdict.PASS if job.status == 0 else Verdict.FAIL
    failures = tuple(dict.fromkeys(job.failures)) if job.status else ()
    return RunResult(
        run, verdict, failures, output=job.output, messages=job.messages, prefixes=tuple(job.prefixes)
    )


def _prefixes(arguments: Sequence[str]) -> list[str]:
    options = [each.partition("=") for each in arguments]
    named = [value for name, _, value in options if name in ("--check-prefix", "--check-prefixes")]
    return ",".join(named).split(",") if named else ["CHECK"]


class _Place(Protocol):
    def put(self, data: bytes) -> None: ...


@dataclass
class _Buffer:
    """Collects output of a pipe, or output to show to the user."""

    data: bytes = b""

    def put(self, data: bytes) -> None:
        if len(self.data) + len(data) > MOST_OF_SOURCE:
            raise Unsupported(f"output of more than {MOST_OF_SOURCE // 2**20} MiB")
        self.data += data


@dataclass
class _File:
    path: str
    append: bool

    def put(self, data: bytes) -> None:
        with open(self.path, "ab" if self.append else "wb") as file:
            file.write(data)
        self.append = True


@dataclass
class _Job:
    run: RunLine
    lines: LineIndex
    paths: Paths
    engine: Engine
    stopped: Stopped
    status: int = 0
    """The status of the last pipeline that was run."""
    failures: list[Failure] = field(default_factory=list[Failure])
    output: str = ""
    messages: str = ""
    prefixes: list[str] = field(default_factory=list[str])

    def pipeline(self, stages: Stages) -> None:
        """Run the calls of a pipeline one after the other; the pipeline fails if a call fails."""
        given = b""
        self.status = 0
        self.failures = []
        for stage in stages.stages:
            if self.stopped():
                raise InterruptedError(4, "stopped")
            pipe, shown = _Buffer(), _Buffer()
            out, err, given = self._places(stage, given, pipe, shown)
            status = self._call(stage, given, out, err)
            self.messages += shown.data.decode(errors="replace")
            self.status = self.status or status
            given = pipe.data
        if not any(stage.tool is Tool.FILECHECK for stage in stages.stages):
            self.output = given.decode(errors="replace")

    def _places(
        self, stage: Stage, given: bytes, pipe: _Place, shown: _Place
    ) -> tuple[_Place, _Place, bytes]:
        """Return the destinations of a call's output and messages, and its input."""
        out, err = pipe, shown
        for each in stage.redirections:
            if each.operator == "<":
                given = self._read(each.target)
            elif each.operator == ">&" and each.target in ("1", "2"):
                out, err = (out, out) if each.descriptor == 2 else (err, err)
            else:
                place = self._file(each.target, each.operator == ">>")
                if each.operator in (">&", "&>"):
                    out = err = place
                elif each.descriptor == 2:
                    err = place
                else:
                    out = place
        return out, err, given

    def _file(self, target: str, append: bool) -> _Place:
        if target == os.devnull:
            return _Buffer()
        place = _File(os.path.join(self.paths.temporary, target), append)
        place.put(b"")  # A shell creates the file before the program starts.
        return place

    def _read(self, name: str) -> bytes:
        if name == os.devnull:
            return b""
        return read_file(Path(self.paths.temporary, name), MOST_OF_SOURCE)

    def _call(self, stage: Stage, given: bytes, out: _Place, err: _Place) -> int:
        """Execute a call; return its status, inverted for `not`."""
        if stage.tool is Tool.COUNT:
            return self._count(stage, given)
        if stage.tool is Tool.FILECHECK:
            return self._check(stage, given)
        merged = out is err
        try:
            ended = self.engine.run(stage.arguments, given, self.paths, merged, self.stopped)
        except TimeoutError as error:
            self.failures.append(Failure(Kind.STATUS, self.run.line, f"{self.engine.name}: {error}"))
            return 1
        out.put(ended.stdout)
        if not merged:
            err.put(ended.stderr)
        crashed = ended.status < 0 or ended.status > 128
        failed = ended.status != 0
        if stage.crashes:
            good = crashed == stage.negated
        elif stage.negated:
            good = failed and not crashed
        else:
            good = not failed
        if good:
            return 0
        printed = (ended.stdout if merged else ended.stderr).decode(errors="replace")
        at_places = failures_in(printed, self.lines, self.paths.source) if not stage.negated else []
        self.failures += at_places or [self._ended(stage, ended, crashed, printed)]
        return 1

    def _ended(self, stage: Stage, ended: Ended, crashed: bool, printed: str) -> Failure:
        name = self.engine.name
        if stage.crashes and stage.negated:
            message = f"{name} was expected to crash, but ended with status {ended.status}"
        elif crashed:
            message = f"{name} crashed (status {ended.status})"
        elif stage.negated:
            message = f"{name} was expected to fail, but ended with status 0"
        else:
            message = f"{name} ended with status {ended.status}"
        last = next((line for line in printed.splitlines() if "error:" in line), "")
        return Failure(Kind.STATUS, self.run.line, f"{message}{': ' if last else ''}{last[:500]}")

    def _count(self, stage: Stage, given: bytes) -> int:
        wanted, found = int(stage.arguments[0]), given.count(b"\n") + (given[-1:] not in (b"", b"\n"))
        self.output = given.decode(errors="replace")
        good = (wanted == found) != stage.negated
        if not good:
            kind = "" if stage.negated else f", and {wanted} were expected"
            self.failures.append(Failure(Kind.STATUS, self.run.line, f"there are {found} lines{kind}"))
        return int(not good)

    def _check(self, stage: Stage, given: bytes) -> int:
        self.prefixes += _prefixes(stage.arguments)
        try:
            done = match(stage.arguments, given.decode(errors="replace"), self.paths.temporary, self.stopped)
        except TimeoutError as error:
            self.failures.append(Failure(Kind.STATUS, self.run.line, f"FileCheck: {error}"))
            return 1
        self.output = done.text
        if stage.negated:
            if done.mismatches:
                return 0
            self.failures.append(Failure(Kind.STATUS, self.run.line, "FileCheck unexpectedly passed"))
            return 1
        of_output = done.text.split("\n")
        for each in done.mismatches:
            self.failures.append(self._mismatch(each, done.text, of_output, done.file))
        return int(bool(done.mismatches))

    def _mismatch(self, mismatch: Mismatch, text: str, output: Sequence[str], file: str) -> Failure:
        at = text.count("\n", 0, mismatch.at)
        if not mismatch.line or os.path.normpath(file) != os.path.normpath(self.paths.source):
            where = f" ({file}:{mismatch.line})" if mismatch.line else ""
            return Failure(Kind.CHECK, self.run.line, f"FileCheck: {mismatch.message}{where}")
        check = self.lines.line_text(mismatch.line - 1)
        column = len(check) - len(check.lstrip()) + 1
        failure = Failure(Kind.CHECK, mismatch.line, mismatch.message, column, at + 1)
        if mismatch.end > mismatch.at:
            return failure
        best = closest(check.partition(":")[2], output, at)
        if best is None and at:
            best = closest(check.partition(":")[2], output)
        return failure if best is None else replace(failure, closest_line=best + 1)
