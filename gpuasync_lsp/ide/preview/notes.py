"""Notes of the lowering on source ops."""

from __future__ import annotations

from gpuasync_lsp.ide.preview.page import Note
from gpuasync_lsp.ide.preview.ptx import PtxError
from gpuasync_lsp.lowering.llvm_ir.stage import Untranslatable
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.defects import is_defect


def unlowered_note(text: str, op_name: str, reason: str, span: Span | None) -> Note:
    """Return the note on an op that the lowering leaves unlowered, at its span in `text`."""
    return Note(
        f"{op_name} is left unlowered: {reason}", _at_name(text, op_name, span), is_defect=is_defect(reason)
    )


def where_it_ended(text: str, version: int, op_name: str, reason: str, span: Span | None) -> Note:
    """Return the note on the op at which the lowering stops, because LLVM `version` fails or this tool has a
    defect."""
    message = reason if is_defect(reason) else f"LLVM {version} fails here: {reason}"
    return Note(message, _at_name(text, op_name, span), reason)


def translation_note(error: Untranslatable | PtxError) -> Note:
    """Return the note on a failed translation to LLVM IR or PTX."""
    if isinstance(error, PtxError):
        return Note(f"no PTX: {error}", None, str(error))
    return Note(f"no LLVM IR: {error.message}", error.span, error.message)


def _at_name(text: str, op_name: str, span: Span | None) -> Span | None:
    """Return the part of `span` from the op's name on, where mlir-opt reports errors."""
    if span is None:
        return None
    return Span(max(text.find(op_name, *span), span.start), span.end)
