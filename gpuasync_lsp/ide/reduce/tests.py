"""What a reduced program must still show: a finding, a crash of the user's mlir-opt, a script's success."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from gpuasync_lsp.analysis import refusals
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.targets import Resolved
from gpuasync_lsp.processes import Command, Ended, run
from gpuasync_lsp.syntax import parse_source

TIMEOUT = 30.0
"""Seconds of one run of a program; what takes longer does not show it."""
_SAID = re.compile(r"Assertion `[^\n]*|LLVM ERROR: [^\n]*|UNREACHABLE executed at [^\n]*")
Holds = Callable[[str], bool]


def has_finding(code: str, resolved: Resolved, text: str) -> Holds:
    """Return a test for findings of the rule `code` in what mlir-opt does not refuse.

    What it refuses `text` for it may refuse: no program becomes smaller by becoming one that cannot be read.
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

    return holds


def crashes(command: Command, text: str) -> tuple[Holds, str]:
    """Return a test for the crash of a mlir-opt on `text`, and what it says; ValueError if there is none.

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

    return holds, wanted or f"status {first.status}"


def _crashed(done: Ended) -> bool:
    return done.status < 0 or done.status >= 128


def _said(done: Ended) -> str:
    found = _SAID.search(done.stderr.decode("utf-8", "replace"))
    return "" if found is None else found[0]


def succeeds(command: Command, folder: str) -> Holds:
    """Return a test that runs the user's script with the path of a program, which holds if its status is 0.

    The program is written into `folder`, and is the script's standard input as well.
    """
    path = Path(folder) / "reduced.mlir"

    def holds(text: str) -> bool:
        path.write_text(text, "utf-8", newline="\n")
        try:
            return run(command.with_arguments(str(path)), text.encode(), TIMEOUT).status == 0
        except TimeoutError:
            return False

    return holds
