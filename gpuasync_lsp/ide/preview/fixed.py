"""A file after its fixes, to preview their effect."""

from __future__ import annotations

from gpuasync_lsp.ide.document.cancel import Patience
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.preview.preview import Note
from gpuasync_lsp.syntax import parse_source
from gpuasync_lsp.text import LineIndex, Safety

FIXES = {"safe": frozenset({Safety.SAFE}), "unsafe": frozenset({Safety.SAFE, Safety.UNSAFE})}
"""Maps `safe` and `unsafe` to the kinds of fixes that are applied."""


class UnknownFixes(ValueError):
    """An unknown selection of fixes; the message lists the known ones."""


def after_fixes(
    state: FileState, which: str, patience: Patience | None = None
) -> tuple[FileState, list[Note]]:
    """Return the file after the fixes `which`, a key of FIXES, and notes on these fixes.

    Applies as many of them as `patience` allows. Raises UnknownFixes."""
    if which not in FIXES:
        raise UnknownFixes(f"unknown set of fixes {which!r}; expected one of {', '.join(FIXES)}")
    goes_on = patience.lasts if patience is not None else lambda: True
    fixed = state.repairs.apply_all(FIXES[which], goes_on)
    applied = [Note(f"fixed {code}: {title}", None) for code, title in fixed.applied]
    if fixed.is_cut_short:
        applied.append(Note("fixing took too long: some fixes were not applied", None))
    # Parse from scratch: reusing the state's items would change them while the editor still shows them.
    source, checker = parse_source(fixed.text), Checker(state.resolved)
    contexts = checker.contexts.of(source)
    findings = checker.check_source(source, contexts)
    lines = LineIndex(fixed.text)
    after = FileState(lines, state.path, state.resolved, source, checker, findings, contexts)
    return after, applied or [Note("there is nothing to fix", None)]
