"""Unranked memrefs as results: their descriptors are in memory and must outlive the function call.

A function that returns an unranked memref copies the descriptor to the heap; its caller copies it to
its own stack and frees the heap copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import UnrankedMemRefType, i8
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion import runtime
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, pointer, struct
from gpuasync_lsp.syntax.dialects.llvm import AddOp, AddrSpaceCastOp, SubOp
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType

POINTER_BYTES = 8


def copy_descriptors(
    rewriter: ConversionRewriter, types: Sequence[Attribute], values: Sequence[SSAValue], to_heap: bool
) -> list[SSAValue]:
    """Return `values` with the descriptor of every unranked memref copied to or from the heap.

    `types` are the original types of the values."""
    positions = [n for n, type in enumerate(types) if isinstance(type, UnrankedMemRefType)]
    copies = list(values)
    if not positions:
        return copies
    if to_heap:
        runtime.declare_first(rewriter, "malloc", LLVMFunctionType([rewriter.types.index], PTR))
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


def memory(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    """Extract the pointer to the ranked descriptor of an unranked memref."""
    return build.extract_value(rewriter, value, 1)


def load_allocated(rewriter: ConversionRewriter, inner: SSAValue, space: int) -> SSAValue:
    """Load the allocated pointer, in memory space `space`, from the ranked descriptor at `inner`."""
    return build.load(rewriter, inner, pointer(space))


def load_aligned(rewriter: ConversionRewriter, inner: SSAValue, space: int) -> SSAValue:
    """Load the aligned pointer, in memory space `space`, from the ranked descriptor at `inner`."""
    return build.load(rewriter, _field(rewriter, inner, space, 1), pointer(space))


def load_offset(rewriter: ConversionRewriter, inner: SSAValue, space: int) -> SSAValue:
    """Load the offset from the ranked descriptor at `inner`."""
    return build.load(rewriter, _field(rewriter, inner, space, 2), rewriter.types.index)


def store_pointers(
    rewriter: ConversionRewriter, inner: SSAValue, space: int, allocated: SSAValue, aligned: SSAValue
) -> None:
    """Store both pointers into the ranked descriptor at `inner`."""
    build.store(rewriter, allocated, inner)
    build.store(rewriter, aligned, _field(rewriter, inner, space, 1))


def store_offset(rewriter: ConversionRewriter, inner: SSAValue, space: int, offset: SSAValue) -> None:
    """Store the offset into the ranked descriptor at `inner`."""
    build.store(rewriter, offset, _field(rewriter, inner, space, 2))


def allocate(rewriter: ConversionRewriter, rank: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Create an unranked memref of `rank` on the stack; return it, its descriptor's address and size."""
    value = build.insert_value(
        rewriter, rank, build.undefined(rewriter, struct((rewriter.types.index, PTR))), 0
    )
    size = _size(rewriter, value, *_numbers(rewriter))
    slot = build.alloca(rewriter, size, i8)
    return build.insert_value(rewriter, slot, value, 1), slot, size


def recast(rewriter: ConversionRewriter, value: SSAValue, given: int, wanted: int) -> SSAValue:
    """Copy an unranked memref to the stack, with its pointers cast to a different memory space."""
    rank, inner = build.extract_value(rewriter, value, 0), memory(rewriter, value)
    result, slot, size = allocate(rewriter, rank)
    pointers = load_allocated(rewriter, inner, given), load_aligned(rewriter, inner, given)
    cast = [build.cast(rewriter, AddrSpaceCastOp, each, pointer(wanted)) for each in pointers]
    store_pointers(rewriter, slot, wanted, *cast)
    source, target = _field(rewriter, inner, given, 2), _field(rewriter, slot, wanted, 2)
    rest = build.arithmetic(rewriter, SubOp, size, build.index_constant(rewriter, 2 * POINTER_BYTES))
    build.memcpy(rewriter, target, source, rest)
    return result


def _field(rewriter: ConversionRewriter, inner: SSAValue, space: int, position: int) -> SSAValue:
    """Return the address of the pointer-sized field `position` in the descriptor at `inner`."""
    return build.element_pointer(rewriter, inner, pointer(space), [position])


def _numbers(rewriter: ConversionRewriter) -> tuple[SSAValue, SSAValue, SSAValue]:
    index = rewriter.types.index_bits // 8
    one, two, index_bytes = (build.index_constant(rewriter, n) for n in (1, 2, index))
    return one, two, index_bytes


def _size(
    rewriter: ConversionRewriter, value: SSAValue, one: SSAValue, two: SSAValue, index_bytes: SSAValue
) -> SSAValue:
    """Emit the size in bytes of an unranked memref's descriptor: two pointers and 1 + 2 * rank indices."""
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
