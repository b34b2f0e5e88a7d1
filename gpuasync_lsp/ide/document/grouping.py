"""Groups equal findings, to keep lists of problems readable.

Advice is grouped by function. For a few rules about the lowering of a whole file, many findings of a file
become one. Other errors and warnings are reported at each location. Grouping does not affect fixes: each
location offers its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from gpuasync_lsp.text import Finding, Related, Severity

MOST_ALIKE = 3
"""Up to this number, equal findings of a function are listed one by one."""
_NAMED = 8
"""The maximum number of values that a grouped message names; others appear as related locations."""
_RELATED = 50
OF_FILES = frozenset({"GA102", "GA108", "GA506"})
"""Rules that report a property of the whole file's lowering, at every op."""
MOST_IN_FILE = 10
"""Up to this number, findings of a rule in `OF_FILES` are listed one by one in a file."""
_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")


def together_in_file(text: str, findings: Iterable[Finding]) -> dict[str, Finding]:
    """Group the findings of a file by rule; return one finding for each rule with more than MOST_IN_FILE.

    `findings` are those of the rules in OF_FILES. In a file without async ops, any number of GA102 findings
    is grouped: such a file is meant for gpu-async-region.
    """
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    found: dict[str, Finding] = {}
    for code, alike in by_code.items():
        is_sync = code == "GA102" and _ASYNC.search(text) is None
        if len(alike) > (1 if is_sync else MOST_IN_FILE):
            first, *others = alike
            remark = f"This also occurs at {len(others)} other place{'s' * (len(others) > 1)} in this file."
            if is_sync:
                remark += _BY_REGION_PASS
            places = (Related(other.span, "also here") for other in others[:_RELATED])
            message, related = f"{first.message}\n{remark}", (*first.related, *places)
            found[code] = replace(first, message=message, related=related)
    return found


_ASYNC = re.compile(r"\bgpu\.(?:wait\b|\w+ async\b)|!gpu\.async\.token")
_BY_REGION_PASS = ' If gpu-async-region runs first, set `pipeline = ["gpu-async-region"]`.'


def listed(text: str, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings of a file in order, with those of the rules in OF_FILES grouped."""
    ones = together_in_file(text, (f for f in findings if f.code in OF_FILES))
    found: list[Finding] = []
    for finding in findings:
        if finding.code not in ones:
            found.append(finding)
        elif finding.span == ones[finding.code].span:
            found.append(ones[finding.code])
    return tuple(found)


def grouped(findings: Sequence[Finding]) -> Mapping[int, Finding | None]:
    """Return replacements, by index, of an item's findings that differ only in the values they name.

    The first of a group is replaced by the group's finding, the others by None."""
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


@lru_cache(maxsize=4_096)
def _without_values(message: str) -> str:
    return _VALUE.sub("%", message)


def _together(findings: Sequence[Finding]) -> Finding:
    first, *others = findings
    values = [_value(other) for other in others]
    names = [*dict.fromkeys(value for value in values if value)]
    listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    remark = f"This also occurs at {len(others)} other places in this function" + (
        f": {listed}." if listed else "."
    )
    related = (
        Related(other.span, value or "also here")
        for other, value in zip(others[:_RELATED], values, strict=False)
    )
    return replace(first, message=f"{first.message}\n{remark}", related=(*first.related, *related))


def _value(finding: Finding) -> str | None:
    """Return the first value named by a finding."""
    match = _VALUE.search(finding.message)
    return None if match is None else match[0]
