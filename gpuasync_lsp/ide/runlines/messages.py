"""Converts mlir-opt's messages about a test into failures, each at the line that the message refers to.

Source: SourceMgrDiagnosticVerifierHandler (mlir/lib/IR/Diagnostics.cpp) prints `expected error "..." was not
produced` and `unexpected error: ...`. With `--split-input-file`, LLVM 16 counts lines from the `// -----`
that the message names (`within split at FILE:5 offset :3:5`), LLVM 22 from the beginning of the file.
"""

from __future__ import annotations

import re

from gpuasync_lsp.ide.runlines.results import Failure, Kind
from gpuasync_lsp.text import LineIndex

MOST = 100
"""The maximum number of messages of one program that are parsed."""
MOST_OF_LINE = 1_000
"""The maximum number of shown characters of a message or line; a model's weights are a line of millions."""
_SPLIT = "within split at "
_OFFSET = re.compile(r":(\d{1,9}) offset :(\d{1,9}):(\d{1,9}): (.*)")
_PLACE = re.compile(r":(\d{1,9}):(\d{1,9}): (.*)")
_NOT_PRODUCED = " was not produced"
_SEVERITIES = ("error", "warning", "remark", "note")


def failures_in(printed: str, lines: LineIndex, source: str) -> list[Failure]:
    """Return failures for the errors in `printed`, mlir-opt's output about the file `source` with `lines`."""
    found: list[Failure] = []
    for line in printed.splitlines():
        failure = _failure(line, source)
        if failure is not None and 0 < failure.line <= lines.line_count:
            found.append(failure)
            if len(found) == MOST:
                break
    return found


def _failure(line: str, source: str) -> Failure | None:
    if line.startswith(_SPLIT + source):
        at = _OFFSET.match(line, len(_SPLIT) + len(source))
        if at is None:
            return None
        number, column, message = int(at[1]) + int(at[2]) - 1, int(at[3]), at[4]
    elif line.startswith(source):
        at = _PLACE.match(line, len(source))
        if at is None:
            return None
        number, column, message = int(at[1]), int(at[2]), at[3]
    else:
        return None
    severity, _, text = message.partition(": ")
    if severity != "error":
        return None
    text = text[:MOST_OF_LINE]
    kind = Kind.ERROR
    if text.startswith("expected ") and text.endswith(_NOT_PRODUCED):
        kind = Kind.EXPECTED
    elif text.startswith("unexpected ") and text.split(" ", 2)[1].rstrip(":") in _SEVERITIES:
        kind = Kind.UNEXPECTED
    return Failure(kind, number, text, column)
