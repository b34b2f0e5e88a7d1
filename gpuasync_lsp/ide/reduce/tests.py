"""Tests that a reduced program must pass: it has a finding, crashes the user's mlir-opt, or satisfies a
script."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpuasync_lsp.analysis import rejections
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.targets import Resolved
from gpuasync_lsp.processes import Command, Ended, run
from gpuasync_lsp.reporting.report import FileReport
from gpuasync_lsp.reporting.terminal import plain
from gpuasync_lsp.reporting.text import text_of
from gpuasync_lsp.syntax import parse_source

TIMEOUT = 30.0
"""The time limit of one run in seconds; a program that takes longer fails the test."""
_MOST = 10_000
"""The maximum number of characters of a program's output in a report."""
_REASON = re.compile(r"Assertion `[^\n]*|LLVM ERROR: [^\n]*|UNREACHABLE executed at [^\n]*")
_FRAME = re.compile(r"[ ]*#\d+ 0x[0-9a-f]+ ([^\n]*)")
_IN_FILE = re.compile(r"\(([^()\n]*)\+(0x[0-9a-f]+)\)\Z")
_OF_SYSTEM = ("libc.so", "libc-", "libpthread", "libsystem_")
Holds = Callable[[str], bool]


@dataclass(frozen=True)
class Sought:
    """A test that a program must pass."""

    what: str
    holds: Holds
    output: Callable[[str], str]
    """Returns the evidence that a program passes: findings, or the output of mlir-opt or the script."""


def has_finding(code: str, resolved: Resolved, text: str) -> Sought:
    """Return the test for findings of the rule `code` in a program that mlir-opt accepts.

    Errors that `text` already has are permitted, but the result must still parse.
    """
    checker = Checker(resolved)

    def codes(text: str) -> tuple[set[str], set[str]]:
        source = parse_source(text)
        chunks = checker.contexts.of(source)
        version = resolved.target.version
        refused = {
            finding.code
            for chunk, contexts in chunks
            for finding in rejections(chunk, version, zip(chunk.items, contexts, strict=True))
        }
        found = checker.check_source(source, chunks)
        return {finding.code for group in found for finding in group.findings}, refused

    _, allowed = codes(text)

    def holds(text: str) -> bool:
        found, refused = codes(text)
        return code in found and refused <= allowed

    def output(text: str) -> str:
        found = [finding for finding in checker.check(text) if finding.code == code]
        return text_of(FileReport("input.mlir", text, resolved.target.version, found), plain).rstrip()

    return Sought(f"a finding {code}", holds, output)


def crashes(command: Command, text: str) -> Sought:
    """Return the test for the crash of an mlir-opt on `text`; ValueError if it does not crash.

    Two crashes are the same if their messages are equal or, for a release without assertions, their
    locations. Raises OSError, NotAllowed and TimeoutError as `processes.run` does.
    """
    first = run(command, text.encode(), TIMEOUT)
    if not _crashed(first):
        raise ValueError(f"{command.name} does not crash on it (status {first.status})")
    wanted = _said(first)

    def holds(text: str) -> bool:
        try:
            done = run(command, text.encode(), TIMEOUT)
        except TimeoutError:
            return False
        return _crashed(done) and _said(done) == wanted

    reason = wanted if _REASON.match(wanted) else f"status {first.status}"
    return Sought(f"the crash of {command.name}: {reason}", holds, lambda text: _printed(command, text))


def _crashed(done: Ended) -> bool:
    return done.status < 0 or done.status >= 128


def _said(done: Ended) -> str:
    text = done.stderr.decode("utf-8", "replace")
    found = _REASON.search(text)
    return _place(text) if found is None else found[0]


def _place(text: str) -> str:
    """Return the location of a crash, which is the first stack frame after the signal handler's."""
    frames = [found[1] for found in map(_FRAME.match, text.split("\n")) if found is not None]
    in_system = [any(name in frame for name in _OF_SYSTEM) for frame in frames]
    at = in_system.index(True) if True in in_system[:8] else len(frames)
    while at < len(frames) and in_system[at]:
        at += 1
    if at >= len(frames):
        return ""
    place = _IN_FILE.search(frames[at])
    return frames[at] if place is None else f"{place[1]}+{place[2]}"


def _printed(command: Command, text: str) -> str:
    try:
        done = run(command, text.encode(), TIMEOUT)
    except TimeoutError as error:
        return str(error)
    printed = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
    return printed if len(printed) <= _MOST else f"{printed[:_MOST]}\n..."


def succeeds(command: Command, folder: str) -> Sought:
    """Return the test that a user's script exits with status 0 for a program.

    The program is written to a file in `folder`, whose path is the script's argument, and to the script's
    standard input.
    """
    path = Path(folder) / "reduced.mlir"

    def holds(text: str) -> bool:
        path.write_text(text, "utf-8", newline="\n")
        try:
            return run(command.with_arguments(str(path)), text.encode(), TIMEOUT).status == 0
        except TimeoutError:
            return False

    def output(text: str) -> str:
        path.write_text(text, "utf-8", newline="\n")
        return _printed(command.with_arguments(str(path)), text)

    return Sought(f"what {command.name} looks for", holds, output)
