"""MemRef descriptors: the struct of two pointers, an offset, sizes and strides that represents a memref.

`{allocated, aligned, offset, [rank x size], [rank x stride]}`; see MLIR's "LLVM IR Target" page.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.kinds import memref_type
from gpuasync_lsp.syntax.memref_types import AnyMemRef, dynamic, strides_and_offset
from gpuasync_lsp.syntax.ods.custom.llvm import OVERFLOW_FLAGS

ALLOCATED, ALIGNED, OFFSET, SIZES, STRIDES = range(5)


def allocated_pointer(rewriter: ConversionRewriter, descriptor: SSAValue) -> SSAValue:
    """Extract the allocated pointer, which is passed to deallocations."""
    return build.extract_value(rewriter, descriptor, ALLOCATED)


def freed_pointer(rewriter: ConversionRewriter, descriptor: SSAValue) -> SSAValue:
    """Return the allocated pointer of a descriptor, with the type that the deallocation function expects.

    LLVM 16, whose pointers are typed, casts it to a byte pointer, from any address space; later
    releases do not cast it."""
    memory = allocated_pointer(rewriter, descriptor)
    if rewriter.profile.opaque_pointers or memory.type == PTR:
        return memory
    return build.cast(rewriter, llvm.BitcastOp, memory, PTR)


def aligned_pointer(rewriter: ConversionRewriter, descriptor: SSAValue) -> SSAValue:
    """Extract the aligned pointer, which is used for accesses; it does not include the offset."""
    return build.extract_value(rewriter, descriptor, ALIGNED)


def pack_arguments(
    rewriter: ConversionRewriter, type: AnyMemRef, fields: Sequence[SSAValue], struct: SSAValue
) -> SSAValue:
    """Build the struct of a descriptor from its flattened `fields`, in MLIR's order for arguments."""
    rank = len(type.get_shape())
    for position, field in enumerate(fields[:3]):
        struct = build.insert_value(rewriter, field, struct, position)
    for d in range(rank):
        struct = build.insert_value(rewriter, fields[3 + d], struct, SIZES, d)
        struct = build.insert_value(rewriter, fields[3 + rank + d], struct, STRIDES, d)
    return struct


def unpack(rewriter: ConversionRewriter, rank: int, descriptor: SSAValue) -> list[SSAValue]:
    """Extract all fields of a descriptor, in the order in which a function takes them as arguments."""
    fields = [build.extract_value(rewriter, descriptor, position) for position in range(3)]
    for array in (SIZES, STRIDES):
        fields += [build.extract_value(rewriter, descriptor, array, d) for d in range(rank)]
    return fields


def new_descriptor(
    rewriter: ConversionRewriter,
    type: Attribute,
    allocated: SSAValue,
    aligned: SSAValue,
    sizes: Sequence[SSAValue],
    strides: Sequence[SSAValue],
) -> SSAValue:
    """Build the descriptor of a new allocation; `type` is the LLVM struct type of the descriptor."""
    struct = build.undefined(rewriter, type)
    struct = build.insert_value(rewriter, allocated, struct, ALLOCATED)
    struct = build.insert_value(rewriter, aligned, struct, ALIGNED)
    struct = build.insert_value(rewriter, build.index_constant(rewriter, 0), struct, OFFSET)
    for d, size in enumerate(sizes):
        struct = build.insert_value(rewriter, size, struct, SIZES, d)
    for d, stride in enumerate(strides):
        struct = build.insert_value(rewriter, stride, struct, STRIDES, d)
    return struct


def static_descriptor(rewriter: ConversionRewriter, type: AnyMemRef, pointer: SSAValue) -> SSAValue:
    """Build the descriptor of a memref of static shape and layout from its pointer."""
    layout = strides_and_offset(type)
    assert layout is not None, "a converted memref is strided"
    strides, offset = layout
    struct = build.undefined(rewriter, rewriter.converted(type))
    struct = build.insert_value(rewriter, pointer, struct, ALLOCATED)
    struct = build.insert_value(rewriter, pointer, struct, ALIGNED)
    struct = build.insert_value(rewriter, build.index_constant(rewriter, offset), struct, OFFSET)
    for d, (size, stride) in enumerate(zip(type.get_shape(), strides, strict=True)):
        struct = build.insert_value(rewriter, build.index_constant(rewriter, size), struct, SIZES, d)
        struct = build.insert_value(rewriter, build.index_constant(rewriter, stride), struct, STRIDES, d)
    return struct


def sizes_and_strides(
    rewriter: ConversionRewriter, type: AnyMemRef, dynamic_sizes: Sequence[SSAValue]
) -> tuple[list[SSAValue], list[SSAValue], SSAValue]:
    """Emit ops for the sizes, strides and number of elements of a new contiguous buffer of `type`."""
    shape = type.get_shape()
    given = iter(dynamic_sizes)
    sizes = [next(given) if dynamic(size) else build.index_constant(rewriter, size) for size in shape]
    strides: list[SSAValue] = []
    running = build.index_constant(rewriter, 1)
    known: int | None = 1
    for d in reversed(range(len(shape))):
        strides.append(running)
        if shape[d] == 0 and rewriter.profile.counts_without_zeros:
            continue
        innermost = known == 1
        known = None if known is None or dynamic(shape[d]) else known * shape[d]
        if innermost:
            running = sizes[d]
        elif known is None:
            running = build.multiply(rewriter, running, sizes[d])
        else:
            running = build.index_constant(rewriter, known)
    strides.reverse()
    return sizes, strides, running


def element_count(rewriter: ConversionRewriter, type: AnyMemRef, descriptor: SSAValue) -> SSAValue:
    """Emit the number of elements of a contiguous memref, as a constant or computed from `descriptor`."""
    shape = type.get_shape()
    if not any(dynamic(size) for size in shape):
        count = 1
        for size in shape:
            count *= size
        return build.index_constant(rewriter, count)
    if not rewriter.profile.copy_size_from_sizes:
        stride = build.extract_value(rewriter, descriptor, STRIDES, 0)
        return build.multiply(rewriter, stride, build.extract_value(rewriter, descriptor, SIZES, 0))
    count_value = build.extract_value(rewriter, descriptor, SIZES, 0)
    for d in range(1, len(shape)):
        count_value = build.multiply(
            rewriter, count_value, build.extract_value(rewriter, descriptor, SIZES, d)
        )
    return count_value


def buffer_pointer(rewriter: ConversionRewriter, type: AnyMemRef, descriptor: SSAValue) -> SSAValue:
    """Emit the address of the first element: the aligned pointer plus the offset."""
    layout = strides_and_offset(type)
    assert layout is not None, "a converted memref is strided"
    offset = layout[1]
    base = aligned_pointer(rewriter, descriptor)
    if offset == 0:
        return base
    amount = (
        build.extract_value(rewriter, descriptor, OFFSET)
        if dynamic(offset)
        else build.index_constant(rewriter, offset)
    )
    return build.element_pointer(rewriter, base, rewriter.converted(type.element_type), [amount])


def access_address(
    rewriter: ConversionRewriter,
    base: SSAValue,
    indices: Sequence[SSAValue],
    flagged: bool = True,
    *,
    may_be_fewer: bool = False,
) -> SSAValue:
    """Emit the address of the element that an op accesses with its operands `base` and `indices`.

    Raises MatchFailure for a wrong number of indices, unless `may_be_fewer`, which is for memrefs that an op
    of an unknown dialect defines, since accesses to these are not verified."""
    type, descriptor = memref_type(base.type), rewriter.lowered(base)
    if len(indices) != type.get_num_dims() and not may_be_fewer:
        rewriter.match_failure("the number of indices is not the rank of the memref")
    return element_address(rewriter, type, descriptor, rewriter.lowered_all(indices), flagged)


def element_address(
    rewriter: ConversionRewriter,
    type: AnyMemRef,
    descriptor: SSAValue,
    indices: Sequence[SSAValue],
    flagged: bool = True,
) -> SSAValue:
    """Emit the address of the element at `indices`, with the release's overflow flags if `flagged`.

    Missing indices are 0, as in mlir-opt: some verifiers do not check the number of indices.
    """
    layout = strides_and_offset(type)
    assert layout is not None, "a converted memref is strided"
    strides, _ = layout
    overflow, gep = _access_flags(rewriter.profile, strides) if flagged else (0, 0)
    base = buffer_pointer(rewriter, type, descriptor)
    element = rewriter.converted(type.element_type)
    index: SSAValue | None = None
    for d, (step, stride) in enumerate(zip(indices, strides, strict=False)):
        increment = step
        if stride != 1:
            factor = (
                build.extract_value(rewriter, descriptor, STRIDES, d)
                if dynamic(stride)
                else build.index_constant(rewriter, stride)
            )
            increment = build.arithmetic(rewriter, build.llvm.MulOp, step, factor, overflow)
        if index is None:
            index = increment
        else:
            index = build.arithmetic(rewriter, build.llvm.AddOp, index, increment, overflow)
    if index is None:
        return base
    return build.element_pointer(rewriter, base, element, [index], gep)


def _access_flags(profile: Profile, strides: Sequence[int]) -> tuple[int, int]:
    """Return the overflow flags for an access's index arithmetic, and its getelementptr flags."""
    nsw, nuw = OVERFLOW_FLAGS["nsw"], OVERFLOW_FLAGS["nuw"]
    inbounds, gep_nuw = build.llvm.GEP_FLAGS["inbounds"], build.llvm.GEP_FLAGS["nuw"]
    if profile.access_flags == "none":
        return 0, 0
    if profile.access_flags == "by-stride" and any(stride < 0 for stride in strides):
        return nsw, inbounds
    return nsw | nuw, inbounds | gep_nuw
