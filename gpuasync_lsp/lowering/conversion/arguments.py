"""Expands the memref operands of calls and launches into the fields of their descriptors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.kinds import is_memref, is_unranked_memref, memref_type


def promote(
    rewriter: ConversionRewriter,
    operands: Sequence[SSAValue],
    lowered: Sequence[SSAValue],
    bare_pointers: bool,
) -> list[SSAValue]:
    """Return the LLVM arguments for the original `operands`, given their `lowered` values.

    Raises MatchFailure for an unranked memref with bare pointers, in releases that reject it."""
    arguments: list[SSAValue] = []
    for operand, value in zip(operands, lowered, strict=True):
        type = operand.type
        if bare_pointers:
            # With bare pointers, sizes, strides and offset are dropped.
            if is_unranked_memref(type) and not rewriter.profile.bare_pointers_for_unranked:
                rewriter.match_failure("an unranked memref has no bare pointer")
            if is_memref(type):
                value = descriptors.aligned_pointer(rewriter, value)
            arguments.append(value)
        elif is_unranked_memref(type):
            arguments += [build.extract_value(rewriter, value, 0), build.extract_value(rewriter, value, 1)]
        elif is_memref(type):
            rank = len(memref_type(type).get_shape())
            arguments += descriptors.unpack(rewriter, rank, value)
        else:
            arguments.append(value)
    return arguments
