"""Applies fixes to a text until nothing changes, one round of compatible fixes at a time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpuasync_lsp.text import Edit, Finding, Fix, Safety, apply_edits

_ROUNDS = 50
_FUNCTION = re.compile(r"\bfunc\.func\b|^// -----", re.MULTILINE)
_NEW_NAME = re.compile(r"(%[\w$.-]+)\s*=")


@dataclass(frozen=True)
class Fixed:
    """A repaired text, what was applied, and what is still found."""

    text: str
    applied: tuple[tuple[Finding, Fix], ...]
    remaining: tuple[Finding, ...]


def fix_source(text: str, check: Callable[[str], list[Finding]], *, unsafe: bool = False) -> Fixed:
    """Repair `text` with the first allowed fix of each finding that `check` reports, until nothing changes.

    In one round only fixes that keep clear of each other are applied, also of each other's insertion points:
    two fixes that want the same place may want the same thing.
    """
    applied: list[tuple[Finding, Fix]] = []
    seen = {text}
    findings = check(text)
    for _ in range(_ROUNDS):
        chosen = choose(text, findings, unsafe=unsafe)
        if not chosen:
            break
        after = apply_edits(text, (edit for _, fix in chosen for edit in fix.edits))
        if after in seen:
            break
        seen.add(after)
        applied += chosen
        text, findings = after, check(after)
    return Fixed(text, tuple(applied), tuple(findings))


def choose(text: str, findings: Iterable[Finding], *, unsafe: bool) -> list[tuple[Finding, Fix]]:
    """Return fixes of `text` that can be applied together, the gravest findings first.

    Two fixes that touch, or that give one function the same new name, are not for one round.
    """
    allowed = {Safety.SAFE, Safety.UNSAFE} if unsafe else {Safety.SAFE}
    functions = [match.start() for match in _FUNCTION.finditer(text)]
    chosen: list[tuple[Finding, Fix]] = []
    taken: list[Edit] = []
    names: set[tuple[int, str]] = set()
    for finding in sorted(findings, key=lambda f: (f.severity, f.span, f.code)):
        fix = next((f for f in finding.fixes if f.safety in allowed), None)
        if fix is None or any(_touch(a, b) for a in fix.edits for b in taken):
            continue
        function = bisect_right(functions, finding.span.start)
        new = {(function, name) for edit in fix.edits for name in _NEW_NAME.findall(edit.text)}
        if names & new:
            continue
        chosen.append((finding, fix))
        taken += fix.edits
        names |= new
    return chosen


def _touch(a: Edit, b: Edit) -> bool:
    return a.span.start <= b.span.end and b.span.start <= a.span.end
