"""Diagnostics that lit tests expect, in comments that `mlir-opt --verify-diagnostics` reads.

Editors do not show expected findings, since the test is about them; `check` reports all findings.

The comments are those of mlir/lib/IR/Diagnostics.cpp, `SourceMgrDiagnosticVerifierHandler` (LLVM 22).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpuasync_lsp.text import LineIndex, Severity

_EXPECTED = re.compile(
    r"expected-(?P<kind>error|warning|note|remark)(?:-re)?"
    r"(?:[ ]*@(?P<where>[+-]\d{1,6}|above|below|unknown))?[ ]*\{\{"
)
_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING}
_OPTION = "verify-diagnostics"
_RUN = re.compile(r"//[ ]*RUN:")


def expected(lines: LineIndex) -> Mapping[int, Severity]:
    """Return the expected severity by 0-based line; empty unless the RUN line verifies diagnostics."""
    text = lines.text
    if _OPTION not in text or "expected-" not in text or _RUN.search(text) is None:
        return {}
    found = [(lines.position(match.start())[0], match) for match in _EXPECTED.finditer(text)]
    comments = {line for line, _ in found}
    wanted: dict[int, Severity] = {}
    for line, match in found:
        severity = _SEVERITIES.get(match["kind"])
        where = match["where"] or "+0"
        if severity is None or where == "unknown":
            continue
        if where in ("above", "below"):
            step = -1 if where == "above" else 1
            target = line + step
            while target in comments:
                target += step
        else:
            target = line + int(where)
        # An error takes precedence over a warning on the same line.
        wanted[target] = min(severity, wanted.get(target, severity))
    return wanted
