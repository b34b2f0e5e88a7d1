"""What several patterns demand of an op before they take it."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, AnyMemRef, is_identity_layout
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface

WRONG_COUNT = "Can only convert with exactly one async dependency."
"""What gpu-to-llvm says of a synchronous op as well as of one with two dependencies."""


def async_with_one_dependency(op: AsyncOpInterface, rewriter: ConversionRewriter) -> SSAValue:
    """Return the stream of an async op with one dependency; refuse every other op."""
    if len(op.async_dependencies) != 1:
        rewriter.refuse(WRONG_COUNT)
    if op.async_token is None:
        rewriter.refuse("Can convert only async version.")
    return rewriter.lowered(op.async_dependencies[0])


def at_most_one_dependency(op: AsyncOpInterface, rewriter: ConversionRewriter) -> SSAValue | None:
    """Return the stream of an op with one dependency, None for no dependency; refuse more (PR 191661)."""
    if len(op.async_dependencies) > 1:
        rewriter.refuse("Can convert with at most one async dependency.")
    return rewriter.lowered(op.async_dependencies[0]) if op.async_dependencies else None


def contiguous(type: Attribute, rewriter: ConversionRewriter) -> AnyMemRef:
    """Return `type` as a memref with identity layout and convertible elements; refuse any other."""
    if not isinstance(type, MemRefType):
        rewriter.refuse("needs a ranked memref")
    memref = cast(AnyMemRef, type)
    if rewriter.types.convert(memref.element_type) is None or not is_identity_layout(memref):
        rewriter.refuse("needs a memref with the identity layout and a convertible element type")
    return memref


def generic_pointer(rewriter: ConversionRewriter, pointer: SSAValue) -> SSAValue:
    """Cast `pointer` to the generic address space, the only one that the runtime takes."""
    return in_space(rewriter, pointer, PTR)


def in_space(rewriter: ConversionRewriter, pointer: SSAValue, type: Attribute) -> SSAValue:
    """Cast `pointer` to the pointer `type` of another address space. 16 uses a (wrong) bitcast."""
    if pointer.type == type:
        return pointer
    cast = llvm.AddrSpaceCastOp if rewriter.profile.opaque_pointers else llvm.BitcastOp
    return build.cast(rewriter, cast, pointer, type)
