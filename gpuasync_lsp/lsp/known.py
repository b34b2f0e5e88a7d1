"""The findings of a file that are in its baseline, which `check` omits and editors show as hints."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.reporting.baseline import Baseline, NotUsableBaseline
from gpuasync_lsp.reporting.report import FileReport

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.text import Finding

logger = logging.getLogger(__name__)


def known_findings(state: FileState) -> frozenset[Finding]:
    """Return the findings of a file that are in its baseline; none if the baseline is missing or
    unreadable."""
    path = state.resolved.settings.baseline
    if path is None or state.path is None:
        return frozenset()
    try:
        stat = path.stat()
        baseline = _read(path, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return frozenset()  # `check --write-baseline` has not created it yet.
    if baseline is None:
        return frozenset()
    found = [finding.shift(group.offset) for group in state.findings for finding in group.findings]
    report = FileReport(str(state.path), state.text, state.resolved.target.version, found)
    are_known, _ = baseline.split(report)
    return frozenset(finding for finding, known in zip(found, are_known, strict=True) if known)


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> Baseline | None:
    """Return the baseline at `path`; None if it is unreadable, which is logged once per version of the
    file."""
    try:
        return Baseline(path)
    except NotUsableBaseline as error:
        logger.warning("%s", error)
        return None
