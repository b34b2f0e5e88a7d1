"""Helpers for patterns of gpu ops: preconditions, streams, and pointers for the runtime."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR
from gpuasync_lsp.preconditions import PRECONDITIONS
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface


def demand_preconditions(op: AsyncOpInterface, rewriter: ConversionRewriter) -> None:
    """Raise MatchFailure with the remark of the first precondition that `op` does not satisfy."""
    for check in PRECONDITIONS[op.name]:
        reason = check(op, rewriter.profile)
        if reason is not None:
            rewriter.match_failure(reason.remark)


def stream_of(op: AsyncOpInterface, rewriter: ConversionRewriter) -> SSAValue | None:
    """Check the preconditions of `op`; return the stream of its first dependency, or None."""
    demand_preconditions(op, rewriter)
    return rewriter.lowered(op.async_dependencies[0]) if op.async_dependencies else None


def required_stream(op: AsyncOpInterface, rewriter: ConversionRewriter) -> SSAValue:
    """Check the preconditions of an op that must have a dependency; return its stream."""
    stream = stream_of(op, rewriter)
    assert stream is not None, f"the preconditions of {op.name} demand a dependency"
    return stream


def generic_pointer(rewriter: ConversionRewriter, pointer: SSAValue) -> SSAValue:
    """Cast `pointer` to the generic address space, the only one that the runtime's functions accept."""
    return in_space(rewriter, pointer, PTR)


def in_space(rewriter: ConversionRewriter, pointer: SSAValue, type: Attribute) -> SSAValue:
    """Cast `pointer` to a pointer in a different address space; LLVM 16 uses an (invalid) bitcast."""
    if pointer.type == type:
        return pointer
    cast = llvm.AddrSpaceCastOp if rewriter.profile.opaque_pointers else llvm.BitcastOp
    return build.cast(rewriter, cast, pointer, type)
