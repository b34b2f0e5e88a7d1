"""Unranked memrefs as results: their descriptors live in memory and must outlive the function that made them.

A function that returns one copies the descriptor to the heap; whoever calls it copies it to its own stack and
frees the heap copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import UnrankedMemRefType, i8, i64
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering import runtime
from gpuasync_lsp.lowering.conversion import ConversionRewriter
from gpuasync_lsp.lowering.types import PTR
from gpuasync_lsp.syntax.dialects.llvm import AddOp
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType

POINTER_BYTES = INDEX_BYTES = 8


def copy_descriptors(
    rewriter: ConversionRewriter, types: Sequence[Attribute], values: Sequence[SSAValue], to_heap: bool
) -> list[SSAValue]:
    """Return `values` with every unranked memref (of the original `types`) copied to the heap or from it."""
    positions = [n for n, type in enumerate(types) if isinstance(type, UnrankedMemRefType)]
    copies = list(values)
    if not positions:
        return copies
    if to_heap:
        runtime.declare_first(rewriter, "malloc", LLVMFunctionType([i64], PTR))
    else:
        runtime.declare_first(rewriter, "free", LLVMFunctionType([PTR]))
    if rewriter.profile.unranked_sizes_shared:
        numbers = _numbers(rewriter)
        sizes = [_size(rewriter, values[n], *numbers) for n in positions]
        for n, size in zip(positions, sizes, strict=True):
            copies[n] = _copy(rewriter, values[n], size, to_heap)
    else:
        for n in positions:
            size = _size(rewriter, values[n], *_numbers(rewriter))
            copies[n] = _copy(rewriter, values[n], size, to_heap)
    return copies


def _numbers(rewriter: ConversionRewriter) -> tuple[SSAValue, SSAValue, SSAValue]:
    one, two, index_bytes = (build.index_constant(rewriter, n) for n in (1, 2, INDEX_BYTES))
    return one, two, index_bytes


def _size(
    rewriter: ConversionRewriter, value: SSAValue, one: SSAValue, two: SSAValue, index_bytes: SSAValue
) -> SSAValue:
    """Insert the size of the descriptor behind `value`: two pointers and 1 + 2 * rank indices."""
    pointer_bytes = build.index_constant(rewriter, POINTER_BYTES)
    pointers = build.multiply(rewriter, two, pointer_bytes)
    rank = build.extract_value(rewriter, value, 0)
    count = build.arithmetic(rewriter, AddOp, build.multiply(rewriter, two, rank), one)
    indices = build.multiply(rewriter, count, index_bytes)
    return build.arithmetic(rewriter, AddOp, pointers, indices)


def _copy(rewriter: ConversionRewriter, value: SSAValue, size: SSAValue, to_heap: bool) -> SSAValue:
    if to_heap:
        memory = build.call(rewriter, "malloc", [size], [PTR]).results[0]
    else:
        memory = build.alloca(rewriter, size, i8)
    source = build.extract_value(rewriter, value, 1)
    build.memcpy(rewriter, memory, source, size)
    if not to_heap:
        build.call(rewriter, "free", [source], [])
    empty = build.undefined(rewriter, value.type)
    rank = build.extract_value(rewriter, value, 0)
    return build.insert_value(rewriter, memory, build.insert_value(rewriter, rank, empty, 0), 1)
