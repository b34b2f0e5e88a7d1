"""Equal findings of a function as one: a list of problems is read by people.

Only advice is grouped. An error or a warning is said at each place; and fixes are offered at each place in
any case, as these do not come from what is listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gpuasync_lsp.text import Finding, Related, Severity

MOST_ALIKE = 3
"""As many equal findings of a function are listed one by one."""
_NAMED = 8
"""Values that the message names; the places of more are its related ones."""
_RELATED = 50
_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")


def grouped(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings of one item; of those that differ in the values they name only, the first."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.severity >= Severity.INFORMATION:
            alike.setdefault((finding.code, _VALUE.sub("%", finding.message)), []).append(finding)
    many = {id(group[0]): group for group in alike.values() if len(group) > MOST_ALIKE}
    if not many:
        return findings
    left_out = {id(finding) for group in many.values() for finding in group[1:]}
    return [
        _together(many[id(finding)]) if id(finding) in many else finding
        for finding in findings
        if id(finding) not in left_out
    ]


def _together(group: Sequence[Finding]) -> Finding:
    first, others = group[0], group[1:]
    names = list(dict.fromkeys(m[0] for f in others if (m := _VALUE.search(f.message)) is not None))
    listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    said = f"The same at {len(others)} other places of this function" + (f": {listed}." if listed else ".")
    related = (
        Related(f.span, (m[0] if (m := _VALUE.search(f.message)) else "the same")) for f in others[:_RELATED]
    )
    return replace(first, message=f"{first.message}\n{said}", related=(*first.related, *related))
