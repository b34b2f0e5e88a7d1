"""What lit tests say that a tool reports, in comments that `mlir-opt --verify-diagnostics` reads.

Which comments there are is from mlir/lib/IR/Diagnostics.cpp, `SourceMgrDiagnosticVerifierHandler` (LLVM 22).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from gpuasync_lsp.text import Severity

_EXPECTED = re.compile(
    r"expected-(?P<kind>error|warning|note|remark)(?:-re)?[ ]*"
    r"(?:@(?P<where>[+-]\d{1,6}|above|below|unknown))?[ ]*\{\{"
)
_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING}
_OPTION = "verify-diagnostics"
_RUN = re.compile(r"//[ ]*RUN:")


def has_expectations(text: str) -> bool:
    """Tell whether `text` is a lit test that says what it expects."""
    return _OPTION in text and "expected-" in text and _RUN.search(text) is not None


def expected_lines(text: str, starts: Sequence[int]) -> dict[int, Severity]:
    """Return what is expected at which line, both from 0; `starts` are the offsets of the lines."""
    found = [(bisect_right(starts, match.start()) - 1, match) for match in _EXPECTED.finditer(text)]
    comments = {line for line, _ in found}
    expected: dict[int, Severity] = {}
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
        # An error is worse than a warning at the same line.
        expected[target] = min(severity, expected.get(target, severity))
    return expected
