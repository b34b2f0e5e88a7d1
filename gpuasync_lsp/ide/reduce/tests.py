"""What a reduced program must still show: a finding, a crash of the user's mlir-opt, a script's success."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpuasync_lsp.analysis import refusals
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.targets import Resolved
from gpuasync_lsp.processes import Command, Ended, run
from gpuasync_lsp.reporting.report import FileReport
from gpuasync_lsp.reporting.terminal import plain
from gpuasync_lsp.reporting.text import text_of
from gpuasync_lsp.syntax import parse_source

TIMEOUT = 30.0
"""Seconds of one run of a program; what takes longer does not show it."""
_MOST = 10_000
"""Characters of a program's output that a report has."""
_SAID = re.compile(r"Assertion `[^\n]*|LLVM ERROR: [^\n]*|UNREACHABLE executed at [^\n]*")
_FRAME = re.compile(r"[ ]*#\d+ 0x[0-9a-f]+ ([^\n]*)")
_IN_FILE = re.compile(r"\(([^()\n]*)\+(0x[0-9a-f]+)\)\Z")
_OF_SYSTEM = ("libc.so", "libc-", "libpthread", "libsystem_")
Holds = Callable[[str], bool]


@dataclass(frozen=True)
class Sought:
    """What a program must still show."""

    what: str
    holds: Holds
    output: Callable[[str], str]
    """The evidence of a program that shows it: findings, or the output of the program that was run."""


def has_finding(code: str, resolved: Resolved, text: str) -> Sought:
    """Return the test for findings of the rule `code` in what mlir-opt does not reject.

    What it rejects `text` for it may reject: no program becomes smaller by becoming one that cannot be read.
    """
    checker = Checker(resolved)

    def codes(text: str) -> tuple[set[str], set[str]]:
        source = parse_source(text)
        chunks = checker.contexts.of(source)
        version = resolved.target.version
        refused = {
            finding.code
            for chunk, contexts in chunks
            for finding in refusals(chunk, version, zip(chunk.items, contexts, strict=True))
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
    """Return the test for the crash of a mlir-opt on `text`; ValueError if there is none.

    It is the same crash if the same is said or, by a release without assertions, if it is at the same place.
    Raises OSError, NotAllowed and TimeoutError as `processes.run` does.
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

    said = wanted if _SAID.match(wanted) else f"status {first.status}"
    return Sought(f"the crash of {command.name}: {said}", holds, lambda text: _printed(command, text))


def _crashed(done: Ended) -> bool:
    return done.status < 0 or done.status >= 128


def _said(done: Ended) -> str:
    text = done.stderr.decode("utf-8", "replace")
    found = _SAID.search(text)
    return _place(text) if found is None else found[0]


def _place(text: str) -> str:
    """Return where the program crashed: the first frame of the stack after those that handle the signal."""
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
    """Return the test that runs the user's script with the path of a program, which holds if its status is 0.

    The program is written into `folder`, and is the script's standard input as well.
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
