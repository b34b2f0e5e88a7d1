"""Code actions: fixes of findings, fix-all, and suppression by a comment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpuasync_lsp.ide.document.cancel import Patience
from gpuasync_lsp.ide.document.state import LARGE, FileState
from gpuasync_lsp.ide.document.suppress import ignore_edits
from gpuasync_lsp.ide.document.text_diff import edits_between
from gpuasync_lsp.text import Edit, Finding, Fix, LineIndex, Safety, Span
from gpuasync_lsp.text.defects import one_by_one

QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll.gpuasync"

MOST_JUDGED_FIXES = 12
"""The maximum number of fixes at one position that are checked before the editor offers them."""


@dataclass(frozen=True, slots=True)
class Action:
    """A code action."""

    title: str
    kind: str
    edits: Callable[[], Sequence[Edit]]
    """Computes the edits, which are empty if they would cause a new fault. If the editor can resolve edits
    later, called only for the chosen action."""
    finding: Finding | None = None
    """The finding that the action repairs, with absolute spans."""
    preferred: bool = False
    """Whether the editor may apply the action without asking, because the edits preserve the meaning."""
    lazy: bool = False
    """Whether the edits are expensive to compute."""


def findings_in(state: FileState, span: Span) -> list[Finding]:
    """Return the findings that touch `span`, with absolute spans."""
    found: list[Finding] = []
    for group in state.findings:
        there = span.shift(-group.offset)
        for finding in group.findings:
            if finding.span.start <= there.end and there.start <= finding.span.end:
                found.append(finding.shift(group.offset))
    return found


def quick_fixes(state: FileState, span: Span, patience: Patience) -> Iterator[Action]:
    """Yield the fixes of the findings that touch `span`, then fix-all for their rules, then suppressions.

    `patience` limits fix-all: when it runs out, the remaining fixes are not tried."""
    found = findings_in(state, span)
    is_long = len(state.text) > LARGE or sum(len(f.fixes) for f in found) > MOST_JUDGED_FIXES
    yield from one_by_one("the fixes of a finding", found, lambda f: _fixes(state, f, is_long))
    for code in dict.fromkeys(finding.code for finding in found if finding.fixes):
        if _fixable(state, code) > 1:
            yield Action(
                f"Fix all {code} in this file",
                QUICK_FIX,
                lambda code=code: fixed_edits(state, {Safety.SAFE, Safety.UNSAFE}, patience, code),
                lazy=True,
            )
    for finding in {finding.code: finding for finding in found}.values():
        yield from _suppressions(state.lines, finding)


def _fixes(state: FileState, finding: Finding, is_long: bool) -> Iterator[Action]:
    is_first = True
    for fix in finding.fixes:
        step = None if is_long else state.repairs.apply(finding, fix)
        if step is None and not is_long:
            continue
        titles = [fix.title] if step is None else [title for _, title in step.applied]
        reason = f" ({fix.reason})" if fix.reason and fix.safety is not Safety.SAFE else ""
        yield Action(
            "; ".join(titles) + reason,
            QUICK_FIX,
            lambda fix=fix: step_edits(state, finding, fix),
            finding,
            preferred=is_first and (fix.safety is Safety.SAFE if step is None else step.is_safe),
            lazy=is_long,
        )
        is_first = False


def step_edits(state: FileState, finding: Finding, fix: Fix) -> Sequence[Edit]:
    """Return the edits of a fix and of the fixes that it requires; empty if a new fault would remain."""
    step = state.repairs.apply(finding, fix)
    return () if step is None else step.edits


def fix_all_action(state: FileState, patience: Patience) -> Iterator[Action]:
    """Yield an action that applies every safe fix, if there is a safe fix; `patience` limits its time."""
    if any(fix.safety is Safety.SAFE for f in _original_findings(state) for fix in f.fixes):
        edits = lambda: fixed_edits(state, {Safety.SAFE}, patience)  # noqa: E731
        yield Action("Apply all safe fixes", FIX_ALL, edits, lazy=True)


def fixed_edits(
    state: FileState, allowed: set[Safety], patience: Patience, code: str | None = None
) -> Sequence[Edit]:
    """Return the edits that apply as many allowed fixes (of the rule `code`, if given) as `patience`
    permits."""
    fixed = state.repairs.apply_all(allowed, patience.lasts, code)
    return edits_between(state.text, fixed.text)


def _fixable(state: FileState, code: str) -> int:
    return sum(1 for finding in _original_findings(state) if finding.code == code and finding.fixes)


def _original_findings(state: FileState) -> Iterator[Finding]:
    """Yield the findings with their original spans, before any edit moved them."""
    return (finding for group in state.findings for finding in group.findings)


def _suppressions(lines: LineIndex, finding: Finding) -> Iterator[Action]:
    # Hiding a syntax error does not help: the text still does not parse.
    if finding.code == "GA001":
        return
    code = finding.code
    edits = tuple(ignore_edits(lines, [finding]))
    yield Action(f"Ignore {code} on this line", QUICK_FIX, lambda: edits, finding)
    top = Edit(Span(0, 0), f"// gpuasync: ignore-file[{code}]\n")
    yield Action(f"Ignore {code} in this file", QUICK_FIX, lambda: (top,), finding)
