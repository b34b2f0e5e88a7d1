"""FileCheck: matches a file's checks against an input with the package `filecheck`, in a separate process."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.processes import TooMuch, own_module, run_bounded

TIMEOUT = 30.0
"""The time limit for the checks of a RUN line, in seconds."""
MOST_ANSWER = 256 * 2**20
"""The maximum size of the worker's answer, which contains the checked text with escapes."""
INSTALL = "FileCheck needs the package `filecheck`: pip install 'filecheck>=1.0.1,<1.1'"


class NoFileCheck(Exception):
    """The package `filecheck` is not installed; the message explains how to install it."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A check that failed."""

    line: int
    """The 1-based line of the check in its file; 0 if unknown."""
    message: str
    at: int
    """The position in the input at which FileCheck searched; for a CHECK-NOT, the position of its match."""
    end: int


@dataclass(frozen=True, slots=True)
class Matched:
    """The result of FileCheck."""

    mismatches: tuple[Mismatch, ...]
    file: str
    """The file with the checks."""
    text: str
    """The checked text."""


def match(
    arguments: Sequence[str], text: str, folder: str, stopped: Callable[[], bool] = lambda: False
) -> Matched:
    """Run FileCheck with `arguments` on an input.

    Raises NoFileCheck, Unsupported for features that the package `filecheck` lacks, NotAllowed, OSError and
    TimeoutError.
    """
    request = json.dumps({"arguments": list(arguments), "input": text}).encode()
    command = own_module("gpuasync_lsp.ide.runlines.matching_worker")
    try:
        done = run_bounded(command, request, folder, TIMEOUT, MOST_ANSWER, stopped)
    except TooMuch as error:
        raise Unsupported(str(error)) from error
    if done.status != 0:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["it printed nothing"])[-1]
        raise Unsupported(f"FileCheck ended with status {done.status}: {last[:500]}")
    result = json.loads(done.stdout)
    if result.get("missing"):
        raise NoFileCheck(INSTALL)
    if "unsupported" in result:
        raise Unsupported(f"FileCheck: {result['unsupported']}")
    return Matched(
        tuple(
            Mismatch(each["line"], each["message"], each["at"], each.get("end", each["at"]))
            for each in result["failures"]
        ),
        result.get("file", ""),
        result.get("input", text),
    )
