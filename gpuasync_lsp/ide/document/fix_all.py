"""Applies fixes, each checked by an analysis of its result: one at a time, or all up to a fixpoint."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from gpuasync_lsp.analysis import comments
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.text_diff import edits_between
from gpuasync_lsp.syntax import SourceFile
from gpuasync_lsp.text import Edit, Finding, Fix, Safety, apply_edits
from gpuasync_lsp.text.cached_property import cached_property

_FUNCTION = re.compile(r"\bfunc\.func\b|^// -----", re.MULTILINE)
_NEW_NAME = re.compile(r"%[\w$.-]+(?=\s*=)|(?<=gpu\.module )@[\w$.-]+")


@dataclass(frozen=True, slots=True)
class Fixed:
    """The source after its fixes."""

    text: str
    findings: tuple[Finding, ...]
    """The remaining findings in `text`."""
    applied: tuple[tuple[str, str], ...]
    """The code of the finding and the title of the fix, for every fix that was applied."""
    is_cut_short: bool = False
    """Whether the time limit ended fix-all early."""


class Step(NamedTuple):
    """The source after some fixes."""

    text: str
    findings: tuple[Finding, ...]
    applied: tuple[tuple[str, str], ...]
    """As in `Fixed`."""
    edits: Sequence[Edit]
    """The edits that led from the unfixed source to `text`."""
    is_safe: bool
    """Whether all of the fixes preserve the meaning of the program."""


class Repairs:
    """The fixes of one document. A fix is rejected if its result has a new fault, even a suppressed one."""

    def __init__(self, checker: Checker, source: SourceFile) -> None:
        """Prepare for `source`; the settings of `checker` select the findings to fix."""
        self._checker = checker
        self._source = source
        self._judge = checker.judge(source)
        self._steps: dict[_Offer, Step | None] = {}

    def apply_all(
        self,
        allowed: Collection[Safety],
        goes_on: Callable[[], bool] = lambda: True,
        code: str | None = None,
        wanted: Callable[[str, Sequence[Finding]], Sequence[Finding]] = lambda _, reported: reported,
    ) -> Fixed:
        """Return the text after the allowed fixes of the reported findings, or of those of rule `code`.

        `wanted` selects the findings to fix, given the text and its reported findings."""

        def check(text: str) -> list[Finding]:
            notes, found = comments(text), self._judge.check(text)
            reported = [f for f in found if code in (None, f.code) and self._checker.reports(f, notes)]
            chosen = set(wanted(text, reported))
            return [f if not f.fixes or f in chosen else replace(f, fixes=()) for f in found]

        text = self._source.text
        return fix_all(text, check(text), check, allowed, goes_on)

    def apply(self, finding: Finding, fix: Fix) -> Step | None:
        """Return the text after `fix` of `finding`, both with absolute spans.

        If `fix` causes a new fault, fixes of that fault are applied too. None if the finding or a new fault
        remains."""
        offer = (finding, fix)
        if offer not in self._steps:
            # Use a separate copy of the analysis, since the next fix starts from the unchanged text.
            check = self._judge.judge(self._source).check
            allowed = {Safety.SAFE, Safety.UNSAFE, fix.safety}
            self._steps[offer] = _step(self._source.text, self._before, [offer], check, allowed)
        return self._steps[offer]

    @cached_property
    def _before(self) -> tuple[Finding, ...]:
        return self._judge.check(self._source.text)


def fix_all(
    text: str,
    findings: Sequence[Finding],
    check: Callable[[str], Sequence[Finding]],
    allowed: Collection[Safety],
    goes_on: Callable[[], bool] = lambda: True,
) -> Fixed:
    """Return `text` with the first allowed fix of every finding applied, up to a fixpoint.

    `findings` are those of `text`; `check` computes those of a changed text. Disjoint fixes are applied as a
    batch. If a batch causes a new fault, its size is halved; after a success it is doubled. One bad fix among
    N thus costs about 2 log N checks. A fix that does not remove its finding, or causes a new fault (GA0 to
    GA4) that fixes of that fault do not remove, is rejected, and the finding's next fix is tried. `goes_on`
    is called before each check: if it returns False, the result so far is returned.
    """
    current = tuple(findings)
    applied: list[tuple[str, str]] = []
    refused: set[_Key] = set()
    seen = {text}
    most = len(current)
    while offers := _offers(text, current, allowed, refused):
        batch = offers[:most]
        if apply_edits(text, _edits(batch)) not in seen:
            if not goes_on():
                return Fixed(text, current, tuple(applied), is_cut_short=True)
            step = _step(text, current, batch, check, allowed)
            if step is not None:
                moved = _mover(step.edits)
                refused = {(code, title, moved(start), texts) for code, title, start, texts in refused}
                text, current = step.text, step.findings
                seen.add(text)
                applied += step.applied
                most *= 2
                continue
        if len(batch) == 1:
            refused.add(_key(*batch[0]))
        most = max(len(batch) // 2, 1)
    return Fixed(text, current, tuple(applied))


_MOST_STEPS = 3
"""The maximum number of fixes that are applied to remove a new fault that a fix causes."""


def _step(
    text: str,
    before: Sequence[Finding],
    batch: Sequence[_Offer],
    check: Callable[[str], Sequence[Finding]],
    allowed: Collection[Safety],
) -> Step | None:
    """Return `text` after the fixes of `batch`; None if a fix has no effect, or a new fault remains.

    If a single fix causes a fault, that fault is fixed as well, if allowed: a missing wait may be
    reported only once its stream exists."""
    edits = _edits(batch)
    changed = apply_edits(text, edits)
    after = tuple(check(changed))
    codes = {finding.code for finding, _ in batch}
    if any(_count(code, after) >= _count(code, before) for code in codes):
        return None
    applied = [(finding.code, fix.title) for finding, fix in batch]
    is_safe = all(fix.safety is Safety.SAFE for _, fix in batch)
    new = _new_faults(before, after, edits)
    if not new:
        return Step(changed, after, tuple(applied), edits, is_safe)
    for _ in range(_MOST_STEPS if len(batch) == 1 else 0):
        offers = _offers(changed, new, allowed, ())
        if not offers:
            return None
        finding, fix = offers[0]
        known = [f for f in after if f not in new]
        changed = apply_edits(changed, fix.edits)
        applied.append((finding.code, fix.title))
        is_safe = is_safe and fix.safety is Safety.SAFE
        after = tuple(check(changed))
        new = _new_faults(known, after, fix.edits)
        if not new:
            return Step(changed, after, tuple(applied), edits_between(text, changed), is_safe)
    return None


_Offer = tuple[Finding, Fix]
_Key = tuple[str, str, int, tuple[str, ...]]


def _offers(
    text: str, findings: Sequence[Finding], allowed: Collection[Safety], refused: Collection[_Key]
) -> list[_Offer]:
    """Return one fix for each finding, leaving out those that conflict with an earlier one.

    Two fixes that introduce the same name into one function conflict, which needs no check.
    """
    functions = [match.start() for match in _FUNCTION.finditer(text)]
    offers: list[_Offer] = []
    taken: list[Edit] = []
    names: set[tuple[int, str]] = set()
    for finding in findings:
        possible = (f for f in finding.fixes if f.safety in allowed and f.edits)
        fix = next((f for f in possible if _key(finding, f) not in refused), None)
        if fix is None:
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
    """Return whether `edit` conflicts with one of `taken`, which are sorted and disjoint."""
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
        # Several operands may be added at one position; the same text twice is one repair of two findings.
        return one.text == other.text
    return one.span.start <= other.span.end and other.span.start <= one.span.end


def _key(finding: Finding, fix: Fix) -> _Key:
    return finding.code, fix.title, finding.span.start, tuple(edit.text for edit in fix.edits)


def _mover(edits: Sequence[Edit]) -> Callable[[int], int]:
    """Return a function from offsets before `edits` to offsets after them."""
    in_order = sorted(edits, key=lambda edit: edit.span)
    ends = [edit.span.end for edit in in_order]
    moves = [0, *accumulate(len(e.text) - (e.span.end - e.span.start) for e in in_order)]
    return lambda offset: offset + moves[bisect_right(ends, offset)]


_FAULTS = ("GA0", "GA1", "GA2", "GA3", "GA4")
"""Code prefixes of rules about faults, as opposed to inefficient code."""


def _edits(batch: Sequence[_Offer]) -> list[Edit]:
    return [edit for _, fix in batch for edit in fix.edits]


def _count(code: str, findings: Sequence[Finding]) -> int:
    return sum(finding.code == code for finding in findings)


def _new_faults(before: Sequence[Finding], after: Sequence[Finding], edits: Sequence[Edit]) -> list[Finding]:
    """Return the faults after `edits` that are new: before, the same rule reported none at the same position,
    and none with the same message."""
    mover = _mover(edits)
    moved = [(f, mover(f.span.start)) for f in before]
    faults = [f for f in after if f.code.startswith(_FAULTS)]
    places = {(f.code, at) for f, at in moved} & {(f.code, f.span.start) for f in faults}
    # Findings that moved elsewhere are matched by message, up to the number of equal messages before.
    words = Counter((f.code, f.message) for f, at in moved if (f.code, at) not in places)
    new: list[Finding] = []
    for finding in faults:
        if (finding.code, finding.span.start) not in places:
            words[finding.code, finding.message] -= 1
            if words[finding.code, finding.message] < 0:
                new.append(finding)
    return new
