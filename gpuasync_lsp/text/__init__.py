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
from gpuasync_lsp.text.findings import Finding, Related, Severity, in_text_order
from gpuasync_lsp.text.lines import Encoding, LineIndex
from gpuasync_lsp.text.span import Loc, Span

__all__ = [
    "BEGIN",
    "END",
    "MODULE",
    "Edit",
    "Encoding",
    "Finding",
    "Fix",
    "LineIndex",
    "Loc",
    "OverlappingEdits",
    "Related",
    "Safety",
    "Severity",
    "Span",
    "apply_edits",
    "gathered",
    "in_text_order",
    "merged",
]
