"""Plain text and plain results: positions, edits, findings. Standard library only."""

from gpuasync_lsp.text.edits import (
    BEGIN,
    END,
    MODULE,
    Edit,
    Fix,
    OverlappingEdits,
    Safety,
    apply_edits,
    gathered,
    merged,
)
from gpuasync_lsp.text.finding_list import NOTHING, FindingList
from gpuasync_lsp.text.findings import Finding, Related, Severity
from gpuasync_lsp.text.lines import Encoding, LineIndex
from gpuasync_lsp.text.span import Span

__all__ = [
    "BEGIN",
    "END",
    "MODULE",
    "NOTHING",
    "Edit",
    "Encoding",
    "Finding",
    "FindingList",
    "Fix",
    "LineIndex",
    "OverlappingEdits",
    "Related",
    "Safety",
    "Severity",
    "Span",
    "apply_edits",
    "gathered",
    "merged",
]
