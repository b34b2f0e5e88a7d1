"""Equal findings of a function as one: a list of problems is read by people.

Only advice is grouped. An error or a warning is said at each place; and fixes are offered at each place in
any case, as these do not come from what is listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from gpuasync_lsp.text import Finding, Related, Severity

MOST_ALIKE = 3
"""As many equal findings of a function are listed one by one."""
_NAMED = 8
"""Values that the message names; the places of more are its related ones."""
_RELATED = 50
MOST_MESSAGES = 4_096
"""Messages that it remembers without their values."""
_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")


def grouped(findings: Sequence[Finding]) -> Mapping[int, Finding | None]:
    """Return what is listed of the findings of one item in the place of those that differ in the values they
    name only, by number: one in the place of the first, nothing in those of the others."""
    alike: dict[tuple[str, str], list[int]] = {}
    for number, finding in enumerate(findings):
        if finding.severity >= Severity.INFORMATION:
            alike.setdefault((finding.code, _without_values(finding.message)), []).append(number)
    found: dict[int, Finding | None] = {}
    for numbers in alike.values():
        if len(numbers) > MOST_ALIKE:
            found.update(dict.fromkeys(numbers))
            found[numbers[0]] = _together([findings[number] for number in numbers])
    return found


@lru_cache(maxsize=MOST_MESSAGES)
def _without_values(message: str) -> str:
    return _VALUE.sub("%", message)


def _together(findings: Sequence[Finding]) -> Finding:
    first, *others = findings
    values = [_value(other) for other in others]
    names = [*dict.fromkeys(value for value in values if value)]
    listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    said = f"The same at {len(others)} other places of this function" + (f": {listed}." if listed else ".")
    related = (
        Related(other.span, value or "the same")
        for other, value in zip(others[:_RELATED], values, strict=False)
    )
    return replace(first, message=f"{first.message}\n{said}", related=(*first.related, *related))


def _value(finding: Finding) -> str | None:
    """Return the first value that a finding names."""
    match = _VALUE.search(finding.message)
    return None if match is None else match[0]
