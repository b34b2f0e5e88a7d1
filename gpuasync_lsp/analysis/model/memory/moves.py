"""The byte offset that an llvm.getelementptr adds to a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.analysis.model.memory.widths import width_of
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType

if TYPE_CHECKING:
    from gpuasync_lsp.syntax.dialects.llvm.memory import GEPOp


def size_of(kind: Attribute) -> int | None:
    """Return the size of an LLVM type in bytes; None if unknown."""
    if isinstance(kind, LLVMArrayType):
        inner = size_of(kind.type)
        return kind.size.data * inner if inner is not None else None
    return None if kind.name == "llvm.struct" else width_of(kind)


def moves_of(op: GEPOp) -> tuple[list[tuple[SSAValue, int]], int] | None:
    """Return the byte offset of a GEP, as (value, factor in bytes) pairs to be summed, and a constant.

    Returns None if it is unknown."""
    if not op.has_all_indices:
        return None  # The verifier rejects the GEP.
    kind = op.elem_type
    moves: list[tuple[SSAValue, int]] = []
    more = 0
    for at, index in enumerate(op.indices):
        if at:
            if not isinstance(kind, LLVMArrayType):
                return None
            kind = kind.type
        size = size_of(kind) if kind is not None else None
        if size is None:
            return None
        if isinstance(index, int):
            more += index * size
        else:
            moves.append((index, size))
    return moves, more
