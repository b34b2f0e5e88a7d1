"""Apply every fix that is allowed, again and again, until nothing changes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from gpuasync_lsp.text import Edit, Finding, Fix, Safety, apply_edits

_FUNCTION = re.compile(r"\bfunc\.func\b|^// -----", re.MULTILINE)
_NEW_NAME = re.compile(r"%[\w$.-]+(?=\s*=)|(?<=gpu\.module )@[\w$.-]+")


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after its fixes."""

    text: str
    findings: tuple[Finding, ...]
    """What is still found in `text`."""
    applied: tuple[tuple[str, str], ...]
    """The code of the finding and the title of the fix, for every fix that was applied."""
    is_cut_short: bool = False
    """Whether time ran out before everything was tried."""


def fix_all(
    text: str,
    findings: Sequence[Finding],
    check: Callable[[str], Sequence[Finding]],
    allowed: Collection[Safety],
    goes_on: Callable[[], bool] = lambda: True,
) -> Fixed:
    """Return `text` with the first allowed fix of every finding applied, until nothing is left to apply.

    `findings` are those of `text`; `check` finds those of a changed text. Fixes that are apart are applied
    together, unless together they make something new appear: then half as many at a time, and twice as many
    again each time that it works. One bad fix among N thus costs some 2 log N checks. A fix that breaks the
    syntax or does not remove its finding is not applied. `goes_on` is asked before each check: where it is
    False, what was applied so far is returned.
    """
    current = tuple(findings)
    applied: list[tuple[str, str]] = []
    refused: set[_Key] = set()
    seen = {text}
    most = len(current)
    while offers := _offers(text, current, allowed, refused):
        batch = offers[:most]
        changed = apply_edits(text, [edit for _, fix in batch for edit in fix.edits])
        if changed not in seen:
            if not goes_on():
                return Fixed(text, current, tuple(applied), is_cut_short=True)
            after = tuple(check(changed))
            if _better(current, after, batch):
                text, current = changed, after
                seen.add(text)
                applied += [(finding.code, fix.title) for finding, fix in batch]
                most *= 2
                continue
        if len(batch) == 1:
            refused.add(_key(text, *batch[0]))
        most = max(len(batch) // 2, 1)
    return Fixed(text, current, tuple(applied))


_Offer = tuple[Finding, Fix]
_Key = tuple[str, str, str, tuple[str, ...]]


def _offers(
    text: str, findings: Sequence[Finding], allowed: Collection[Safety], refused: Collection[_Key]
) -> list[_Offer]:
    """Return one fix for each finding, leaving out those that get in the way of an earlier one.

    Two fixes that give one function the same new name are not for one round: that is known without a check.
    """
    functions = [match.start() for match in _FUNCTION.finditer(text)]
    offers: list[_Offer] = []
    taken: list[Edit] = []
    names: set[tuple[int, str]] = set()
    for finding in findings:
        fix = next((f for f in finding.fixes if f.safety in allowed and f.edits), None)
        if fix is None or _key(text, finding, fix) in refused:
            continue
        if any(_collides(edit, taken) for edit in fix.edits):
            continue
        function = bisect_right(functions, finding.span.start)
        new = {(function, name) for edit in fix.edits for name in _NEW_NAME.findall(edit.text)}
        if names & new:
            continue
        names |= new
        for edit in fix.edits:
            insort(taken, edit)
        offers.append((finding, fix))
    return offers


def _collides(edit: Edit, taken: Sequence[Edit]) -> bool:
    """Tell whether `edit` is in the way of one of `taken`, which are sorted and apart."""
    at = bisect_left(taken, edit)
    for other in (taken[i] for i in range(at, len(taken))):
        if other.span.start > edit.span.end:
            break
        if _collide(edit, other):
            return True
    for other in (taken[i] for i in range(at - 1, -1, -1)):
        if other.span.end < edit.span.start:
            break
        if _collide(edit, other):
            return True
    return False


def _collide(one: Edit, other: Edit) -> bool:
    if one.span == other.span and one.span.start == one.span.end:
        # Several operands may be added at one place; the same text twice is one repair of two findings.
        return one.text == other.text
    return one.span.start <= other.span.end and other.span.start <= one.span.end


def _key(text: str, finding: Finding, fix: Fix) -> _Key:
    # Offsets move with every fix that is applied; what a fix would write where does not.
    return finding.code, fix.title, finding.span.of(text), tuple(edit.text for edit in fix.edits)


def _better(before: Sequence[Finding], after: Sequence[Finding], batch: Sequence[_Offer]) -> bool:
    """Tell whether a batch did what it promised; a single fix may uncover what its fault had hidden."""
    old, new = Counter(f.code for f in before), Counter(f.code for f in after)
    added = new - old
    fixed = {finding.code for finding, _ in batch}
    if any(new[code] >= old[code] for code in fixed):
        return False
    return not (added if len(batch) > 1 else any(code.startswith("GA0") for code in added))
