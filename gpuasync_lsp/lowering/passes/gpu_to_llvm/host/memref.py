"""Converts the memref dialect: descriptors represent allocations, accesses, casts and metadata.

As in MLIR, this pass does not lower ops that change the shape of a view (subview, expand_shape,
collapse_shape): `expand-strided-metadata` must have replaced them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser

from gpuasync_lsp.lowering.conversion import descriptors, runtime
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.folders.memref import known_metadata
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, array, pointer
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import (
    memref_atomics,
    memref_hints,
    memref_scope,
    memref_shape,
    unranked,
)
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.attributes import TextAttr
from gpuasync_lsp.syntax.dialects import arith, llvm, memref
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType, LLVMStructType
from gpuasync_lsp.syntax.kinds import (
    element_type,
    is_integer,
    is_integer_attr,
    is_memref,
    is_unranked_memref,
    memref_type,
)
from gpuasync_lsp.syntax.memref_types import (
    AnyMemRef,
    AnyUnranked,
    dynamic,
    is_identity_layout,
    memory_space,
    strides_and_offset,
)

BAD_POINTER = 0xDEADBEEF
"""The allocated pointer in a global's descriptor: an invalid address, because it must not be freed."""


class ConvertAlloc(ConversionPattern[memref.AllocOp]):
    """`memref.alloc` becomes a call to malloc, for a larger block if an alignment is specified."""

    def match_and_rewrite(self, op: memref.AllocOp, rewriter: ConversionRewriter) -> None:
        _declare_malloc_too_early(op, rewriter)
        type = _identity(op.memref.type, rewriter)
        descriptor_type = rewriter.converted(type)
        given = rewriter.lowered_all(op.dynamic_sizes)
        sizes, strides, count = descriptors.sizes_and_strides(rewriter, type, given)
        size = build.size_in_bytes(rewriter, rewriter.converted(type.element_type), count)
        alignment: SSAValue | None = None
        if op.alignment is not None:
            alignment = build.index_constant(rewriter, op.alignment.value.data)
        elif not _is_scalar(type.element_type):
            # malloc only guarantees the alignment of the largest scalar.
            alignment = build.size_of(rewriter, rewriter.converted(type.element_type))
        if alignment is not None:
            size = build.arithmetic(rewriter, llvm.AddOp, size, alignment)
        runtime.declare_allocator(rewriter, "malloc", LLVMFunctionType([size.type], PTR))
        memory = build.call(rewriter, "malloc", [size], [PTR]).results[0]
        space = pointer(memory_space(type) or 0)
        if space != memory.type:
            memory = build.cast(rewriter, llvm.AddrSpaceCastOp, memory, space)
        aligned = memory if alignment is None else _align(rewriter, memory, alignment)
        rewriter.replace(
            op, [descriptors.new_descriptor(rewriter, descriptor_type, memory, aligned, sizes, strides)]
        )


def _declare_malloc_too_early(op: memref.AllocOp, rewriter: ConversionRewriter) -> None:
    """Declare malloc even if the alloc fails to convert: some releases check its memory space last."""
    type = memref_type(op.memref.type)
    if not rewriter.profile.malloc_before_memory_space or not is_identity_layout(type):
        return
    anywhere = MemRefType(type.element_type, type.shape)
    if rewriter.types.convert(anywhere) is not None and rewriter.types.convert(type) is None:
        size = rewriter.types.index
        runtime.declare_allocator(rewriter, "malloc", LLVMFunctionType([size], PTR))
        rewriter.commit()
        rewriter.match_failure("its memory space is not a number")


class ConvertAlloca(ConversionPattern[memref.AllocaOp]):
    """`memref.alloca` becomes `llvm.alloca`."""

    def match_and_rewrite(self, op: memref.AllocaOp, rewriter: ConversionRewriter) -> None:
        type = _identity(op.memref.type, rewriter)
        descriptor_type = rewriter.converted(type)
        given = rewriter.lowered_all(op.dynamic_sizes)
        sizes, strides, count = descriptors.sizes_and_strides(rewriter, type, given)
        alignment = None if op.alignment is None else op.alignment.value.data
        element, space = rewriter.converted(type.element_type), pointer(memory_space(type) or 0)
        memory = build.alloca(rewriter, count, element, alignment, space)
        rewriter.replace(
            op, [descriptors.new_descriptor(rewriter, descriptor_type, memory, memory, sizes, strides)]
        )


class ConvertDealloc(ConversionPattern[memref.DeallocOp]):
    """`memref.dealloc` becomes a call to free."""

    def match_and_rewrite(self, op: memref.DeallocOp, rewriter: ConversionRewriter) -> None:
        runtime.declare_allocator(rewriter, "free", LLVMFunctionType([PTR]))
        descriptor = rewriter.lowered(op.memref)
        if is_unranked_memref(op.memref.type):
            inner = build.extract_value(rewriter, descriptor, 1)
            space = memory_space(op.memref.type) if rewriter.profile.opaque_pointers else None
            freed = build.load(rewriter, inner, pointer(space or 0))
        else:
            freed = descriptors.freed_pointer(rewriter, descriptor)
        build.call(rewriter, "free", [freed], [])
        rewriter.erase(op)


class ConvertLoad(ConversionPattern[memref.LoadOp]):
    """`memref.load` becomes an address computation and `llvm.load`."""

    def match_and_rewrite(self, op: memref.LoadOp, rewriter: ConversionRewriter) -> None:
        address = descriptors.access_address(rewriter, op.memref, op.indices)
        value = build.load(rewriter, address, rewriter.converted(op.result.type))
        _mark(value.owner, op, rewriter.profile)
        rewriter.replace(op, [value])


class ConvertStore(ConversionPattern[memref.StoreOp]):
    """`memref.store` becomes an address computation and `llvm.store`."""

    def match_and_rewrite(self, op: memref.StoreOp, rewriter: ConversionRewriter) -> None:
        address = descriptors.access_address(rewriter, op.memref, op.indices)
        _mark(build.store(rewriter, rewriter.lowered(op.value), address), op, rewriter.profile)
        rewriter.erase(op)


class ConvertCast(ConversionPattern[memref.CastOp]):
    """`memref.cast` keeps the descriptor; a cast to unranked stores it, one from unranked loads it."""

    def match_and_rewrite(self, op: memref.CastOp, rewriter: ConversionRewriter) -> None:
        source = rewriter.lowered(op.source)
        target_type = rewriter.converted(op.dest.type)
        from_unranked = is_unranked_memref(op.source.type)
        to_unranked = is_unranked_memref(op.dest.type)
        if from_unranked and to_unranked:
            rewriter.match_failure("casts between unranked memrefs are folded, not converted")
        if to_unranked:
            rank = len(memref_type(op.source.type).get_shape())
            slot = _spill(rewriter, source)
            value = _unranked(rewriter, target_type, build.index_constant(rewriter, rank), slot)
        elif from_unranked:
            value = build.load(rewriter, build.extract_value(rewriter, source, 1), target_type)
        elif source.type != target_type:
            rewriter.match_failure("the descriptors differ")
        else:
            value = source
        rewriter.replace(op, [value])


class ConvertMemorySpaceCast(ConversionPattern[memref.MemorySpaceCastOp]):
    """`memref.memory_space_cast` casts both pointers; those of an unranked memref in a copy on the stack."""

    def match_and_rewrite(self, op: memref.MemorySpaceCastOp, rewriter: ConversionRewriter) -> None:
        if not is_memref(op.dest.type):
            types = cast(AnyUnranked, op.source.type), cast(AnyUnranked, op.dest.type)
            given, wanted = (memory_space(type) or 0 for type in types)
            rewriter.replace(op, [unranked.recast(rewriter, rewriter.lowered(op.source), given, wanted)])
            return
        type = memref_type(op.dest.type)
        target = rewriter.converted(type)
        assert isinstance(target, LLVMStructType)
        fields = descriptors.unpack(rewriter, len(type.get_shape()), rewriter.lowered(op.source))
        pointer = target.types.data[0]
        fields[:2] = [build.cast(rewriter, llvm.AddrSpaceCastOp, field, pointer) for field in fields[:2]]
        empty = build.undefined(rewriter, target)
        rewriter.replace(op, [descriptors.pack_arguments(rewriter, type, fields, empty)])


class ConvertDim(ConversionPattern[memref.DimOp]):
    """`memref.dim` becomes a constant, a field of the descriptor, or a load for a dynamic index."""

    def match_and_rewrite(self, op: memref.DimOp, rewriter: ConversionRewriter) -> None:
        descriptor = rewriter.lowered(op.source)
        index = rewriter.lowered(op.index)
        if is_unranked_memref(op.source.type):
            space = memory_space(op.source.type) or 0
            rewriter.replace(op, [_unranked_size(rewriter, descriptor, index, space)])
            return
        type = memref_type(op.source.type)
        shape = type.get_shape()
        known = _constant_index(op.index, index)
        if known is not None and 0 <= known < len(shape):
            size = shape[known]
            value = (
                build.extract_value(rewriter, descriptor, descriptors.SIZES, known)
                if dynamic(size)
                else build.index_constant(rewriter, size)
            )
        else:
            value = _size_at(rewriter, descriptor, len(shape), index)
        rewriter.replace(op, [value])


class ConvertRank(ConversionPattern[memref.RankOp]):
    """`memref.rank` becomes a constant, or a field of an unranked memref."""

    def match_and_rewrite(self, op: memref.RankOp, rewriter: ConversionRewriter) -> None:
        if is_unranked_memref(op.memref.type):
            value = build.extract_value(rewriter, rewriter.lowered(op.memref), 0)
        else:
            value = build.index_constant(rewriter, len(memref_type(op.memref.type).get_shape()))
        rewriter.replace(op, [value])


class ConvertCopy(ConversionPattern[memref.CopyOp]):
    """`memref.copy` becomes memcpy for contiguous memory, otherwise a call to the runners' memrefCopy."""

    def match_and_rewrite(self, op: memref.CopyOp, rewriter: ConversionRewriter) -> None:
        types = [op.source.type, op.target.type]
        values = rewriter.lowered_all(op.operands)
        if all(is_memref(type) and _is_contiguous(memref_type(type)) for type in types):
            self._memcpy(cast(Sequence[AnyMemRef], types), values, rewriter)
        else:
            self._call(types, values, rewriter)
        rewriter.erase(op)

    @staticmethod
    def _memcpy(types: Sequence[AnyMemRef], values: Sequence[SSAValue], rewriter: ConversionRewriter) -> None:
        element = rewriter.converted(types[0].element_type)
        count = build.index_constant(rewriter, 1)
        for d in range(len(types[0].get_shape())):
            size = build.extract_value(rewriter, values[0], descriptors.SIZES, d)
            count = build.multiply(rewriter, count, size)
        bytes_ = build.multiply(rewriter, count, build.size_of(rewriter, element))
        pointers: list[SSAValue] = []
        for value in values:
            base = descriptors.aligned_pointer(rewriter, value)
            offset = build.extract_value(rewriter, value, descriptors.OFFSET)
            pointers.append(build.element_pointer(rewriter, base, element, [offset]))
        build.memcpy(rewriter, pointers[1], pointers[0], bytes_)

    @staticmethod
    def _call(types: Sequence[Attribute], values: Sequence[SSAValue], rewriter: ConversionRewriter) -> None:
        saved = rewriter.create(llvm.StackSaveOp, [], PTR)
        unranked = [_as_unranked(rewriter, type, value) for type, value in zip(types, values, strict=True)]
        one = build.index_constant(rewriter, 1)
        slots: list[SSAValue] = []
        for value in unranked:
            slot = build.alloca(rewriter, one, value.type)
            build.store(rewriter, value, slot)
            slots.append(slot)
        element = rewriter.converted(element_type(types[0]))
        size = build.size_of(rewriter, element)
        runtime.declare_first(rewriter, "memrefCopy", LLVMFunctionType([rewriter.types.index, PTR, PTR]))
        build.call(rewriter, "memrefCopy", [size, *slots], [])
        rewriter.add(llvm.StackRestoreOp.create(operands=[saved]))


class ConvertGlobal(ConversionPattern[memref.GlobalOp]):
    """`memref.global` becomes `llvm.mlir.global` of a nested array."""

    def match_and_rewrite(self, op: memref.GlobalOp, rewriter: ConversionRewriter) -> None:
        type = memref_type(op.type)
        rewriter.converted(type)
        array_type = _array_type(type, rewriter)
        private = op.get_attr_or_prop("sym_visibility") == StringAttr("private")
        initial = op.get_attr_or_prop("initial_value")
        properties: dict[str, Attribute] = {
            "sym_name": op.sym_name,
            "global_type": array_type,
            "linkage": build.LinkageAttr("private" if private else "external"),
            "addr_space": IntegerAttr(memory_space(type) or 0, IntegerType(32)),
            "visibility_": IntegerAttr(0, i64),
        }
        if op.constant is not None:
            properties["constant"] = UnitAttr()
        if op.alignment is not None:
            properties["alignment"] = op.alignment
        region = Region()
        if isinstance(initial, UnitAttr):
            body = Block()
            region.add_block(body)
            with rewriter.at_end(body):
                nothing = rewriter.create(llvm.UndefOp, [], array_type)
                build.return_(rewriter, [nothing])
        elif initial is not None:
            properties["value"] = initial if type.get_shape() else _scalar(initial)
        rewriter.add(llvm.GlobalOp.create(properties=properties, regions=[region]))
        rewriter.erase(op)


class ConvertGetGlobal(ConversionPattern[memref.GetGlobalOp]):
    """`memref.get_global` becomes a descriptor with the global's address; it must not be freed."""

    def match_and_rewrite(self, op: memref.GetGlobalOp, rewriter: ConversionRewriter) -> None:
        type = _identity(op.result.type, rewriter)
        descriptor_type = rewriter.converted(type)
        sizes, strides, count = descriptors.sizes_and_strides(rewriter, type, [])
        build.size_in_bytes(rewriter, rewriter.converted(type.element_type), count)
        assert isinstance(descriptor_type, LLVMStructType)
        pointer_type = descriptor_type.types.data[0]
        name = op.name_.string_value()
        address = build.address_of(rewriter, name, pointer_type)
        array_type = _array_type(type, rewriter)
        first = build.element_pointer(rewriter, address, array_type, [0] * (len(type.get_shape()) + 1))
        bad = build.index_constant(rewriter, BAD_POINTER)
        allocated = build.cast(rewriter, llvm.IntToPtrOp, bad, pointer_type)
        rewriter.replace(
            op, [descriptors.new_descriptor(rewriter, descriptor_type, allocated, first, sizes, strides)]
        )


class ConvertReinterpretCast(ConversionPattern[memref.ReinterpretCastOp]):
    """`memref.reinterpret_cast` becomes a descriptor with the source's pointers."""

    def match_and_rewrite(self, op: memref.ReinterpretCastOp, rewriter: ConversionRewriter) -> None:
        source = rewriter.lowered(op.source)
        target = rewriter.converted(op.result.type)
        struct = build.undefined(rewriter, target)
        allocated, aligned, _ = memref_shape.pointers_and_offset(
            rewriter, op.source, source, with_offset=False
        )
        struct = build.insert_value(rewriter, allocated, struct, descriptors.ALLOCATED)
        struct = build.insert_value(rewriter, aligned, struct, descriptors.ALIGNED)
        offsets = _mixed(rewriter, integers(op.static_offsets), op.offsets)
        sizes = _mixed(rewriter, integers(op.static_sizes), op.sizes)
        strides = _mixed(rewriter, integers(op.static_strides), op.strides)
        struct = build.insert_value(rewriter, next(offsets), struct, descriptors.OFFSET)
        for d, size in enumerate(sizes):
            struct = build.insert_value(rewriter, size, struct, descriptors.SIZES, d)
            # As in MLIR, the constant for a static stride is created here, after the sizes.
            struct = build.insert_value(rewriter, next(strides), struct, descriptors.STRIDES, d)
        rewriter.replace(op, [struct])


class ConvertView(ConversionPattern[memref.ViewOp]):
    """`memref.view` becomes a contiguous buffer at a byte offset in its source."""

    def match_and_rewrite(self, op: memref.ViewOp, rewriter: ConversionRewriter) -> None:
        type = _identity(op.result.type, rewriter)
        source_type = memref_type(op.source.type)
        target = rewriter.converted(type)
        source = rewriter.lowered(op.source)
        shift = rewriter.lowered(op.byte_shift)
        given = iter(reversed(rewriter.lowered_all(op.sizes)))
        struct = build.undefined(rewriter, target)
        allocated = descriptors.allocated_pointer(rewriter, source)
        struct = build.insert_value(rewriter, allocated, struct, descriptors.ALLOCATED)
        aligned = descriptors.aligned_pointer(rewriter, source)
        element = rewriter.converted(source_type.element_type)
        aligned = build.element_pointer(rewriter, aligned, element, [shift])
        struct = build.insert_value(rewriter, aligned, struct, descriptors.ALIGNED)
        struct = build.insert_value(rewriter, build.index_constant(rewriter, 0), struct, descriptors.OFFSET)
        layout = strides_and_offset(type)
        assert layout is not None, "a converted memref is strided"
        inner_size: SSAValue | None = None
        stride: SSAValue | None = None
        for d in reversed(range(len(type.get_shape()))):
            size = type.get_shape()[d]
            size_value = next(given) if dynamic(size) else build.index_constant(rewriter, size)
            struct = build.insert_value(rewriter, size_value, struct, descriptors.SIZES, d)
            if not dynamic(layout[0][d]):
                stride = build.index_constant(rewriter, layout[0][d])
            else:
                assert stride is not None
                assert inner_size is not None
                stride = build.multiply(rewriter, stride, inner_size)
            struct = build.insert_value(rewriter, stride, struct, descriptors.STRIDES, d)
            inner_size = size_value
        rewriter.replace(op, [struct])


class ConvertExtractStridedMetadata(ConversionPattern[memref.ExtractStridedMetaDataOp]):
    """`memref.extract_strided_metadata` becomes a rank-0 descriptor of the base, and extracted fields."""

    def match_and_rewrite(self, op: memref.ExtractStridedMetaDataOp, rewriter: ConversionRewriter) -> None:
        known = {} if rewriter.options.whole_kernels else known_metadata(op)
        for result, number in known.items():
            # The op folds during its own conversion, too late for the new constant to be legalized.
            constant = rewriter.add(arith.ConstantOp(IntegerAttr(number, IndexType())))
            result.replace_all_uses_with(constant.result)
        source = rewriter.lowered(op.source)
        rank = len(memref_type(op.source.type).get_shape())
        allocated = descriptors.allocated_pointer(rewriter, source)
        aligned = descriptors.aligned_pointer(rewriter, source)
        base = build.undefined(rewriter, rewriter.converted(op.results[0].type))
        base = build.insert_value(rewriter, allocated, base, descriptors.ALLOCATED)
        base = build.insert_value(rewriter, aligned, base, descriptors.ALIGNED)
        zero = build.index_constant(rewriter, 0)
        base = build.insert_value(rewriter, zero, base, descriptors.OFFSET)
        fields = [build.extract_value(rewriter, source, descriptors.OFFSET)]
        for part in (descriptors.SIZES, descriptors.STRIDES):
            fields += [build.extract_value(rewriter, source, part, d) for d in range(rank)]
        rewriter.replace(op, [base, *fields])


class ConvertExtractAlignedPointer(ConversionPattern[memref.ExtractAlignedPointerAsIndexOp]):
    """`memref.extract_aligned_pointer_as_index` becomes `llvm.ptrtoint`."""

    def match_and_rewrite(
        self, op: memref.ExtractAlignedPointerAsIndexOp, rewriter: ConversionRewriter
    ) -> None:
        source = rewriter.lowered(op.source)
        if is_unranked_memref(op.source.type):
            space = memory_space(op.source.type) or 0
            aligned = unranked.load_aligned(rewriter, unranked.memory(rewriter, source), space)
        else:
            aligned = descriptors.aligned_pointer(rewriter, source)
        rewriter.replace(op, [build.cast(rewriter, llvm.PtrToIntOp, aligned, rewriter.types.index)])


def _identity(type: Attribute, rewriter: ConversionRewriter) -> AnyMemRef:
    """Return a memref type that has identity layout and can be converted; reject any other."""
    found = memref_type(type)
    if not is_identity_layout(found) or rewriter.types.convert(found) is None:
        rewriter.match_failure("needs a memref with identity layout")
    return found


def _mark(made: Operation | Block, op: Operation, profile: Profile) -> None:
    """Copy `nontemporal` and `alignment` to the lowered access."""
    assert isinstance(made, Operation)
    nontemporal = op.get_attr_or_prop("nontemporal")
    if is_integer_attr(nontemporal) and nontemporal.value.data:
        made.properties["nontemporal"] = UnitAttr()
    alignment = op.get_attr_or_prop("alignment")
    if alignment is not None and profile.accesses_keep_alignment:
        made.properties["alignment"] = alignment


def _is_scalar(type: Attribute) -> bool:
    """Return whether `type` is a signless integer, an index or a float."""
    if is_integer(type):
        return type.signedness.data == Signedness.SIGNLESS
    return isinstance(type, IndexType | AnyFloat)


def _align(rewriter: ConversionRewriter, memory: SSAValue, alignment: SSAValue) -> SSAValue:
    """Insert ops that round the address `memory` up to a multiple of `alignment`."""
    address = build.cast(rewriter, llvm.PtrToIntOp, memory, rewriter.types.index)
    one = build.index_constant(rewriter, 1)
    bump = build.arithmetic(rewriter, llvm.SubOp, alignment, one)
    bumped = build.arithmetic(rewriter, llvm.AddOp, address, bump)
    over = rewriter.create(llvm.URemOp, [bumped, alignment], bumped.type)
    return build.cast(
        rewriter, llvm.IntToPtrOp, build.arithmetic(rewriter, llvm.SubOp, bumped, over), memory.type
    )


def _spill(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    # MLIR uses an i64 count here, regardless of the width of an index.
    one = build.constant(rewriter, IntegerAttr(1, IndexType()), i64)
    slot = build.alloca(rewriter, one, value.type)
    build.store(rewriter, value, slot)
    return slot


def _unranked(rewriter: ConversionRewriter, type: Attribute, rank: SSAValue, slot: SSAValue) -> SSAValue:
    value = build.insert_value(rewriter, rank, build.undefined(rewriter, type), 0)
    return build.insert_value(rewriter, slot, value, 1)


def _as_unranked(rewriter: ConversionRewriter, type: Attribute, value: SSAValue) -> SSAValue:
    if is_unranked_memref(type):
        return value
    rank = build.integer_constant(rewriter, len(memref_type(type).get_shape()), rewriter.types.index)
    return _unranked(
        rewriter, LLVMStructType.literal((rewriter.types.index, PTR)), rank, _spill(rewriter, value)
    )


def _unranked_size(rewriter: ConversionRewriter, value: SSAValue, index: SSAValue, space: int) -> SSAValue:
    """Load the size at `index` from an unranked memref's descriptor: after two pointers and the offset.

    As in MLIR, the address is in the memory space of the memref, although the descriptor is not."""
    inner = build.extract_value(rewriter, value, 1)
    size = rewriter.types.index
    header = LLVMStructType.literal((PTR, PTR, size))
    offset = build.element_pointer(rewriter, inner, header, [0, 2], type=pointer(space))
    position = build.arithmetic(rewriter, llvm.AddOp, build.index_constant(rewriter, 1), index)
    return build.load(rewriter, build.element_pointer(rewriter, offset, size, [position]), size)


def _size_at(rewriter: ConversionRewriter, descriptor: SSAValue, rank: int, index: SSAValue) -> SSAValue:
    """Load the size at a dynamic index from a copy of the descriptor's sizes on the stack."""
    size = rewriter.types.index
    type = array(rank, size)
    one = build.index_constant(rewriter, 1)
    sizes = build.extract_value(rewriter, descriptor, descriptors.SIZES)
    slot = build.alloca(rewriter, one, type)
    build.store(rewriter, sizes, slot)
    return build.load(rewriter, build.element_pointer(rewriter, slot, type, [0, index]), size)


def _constant_index(value: SSAValue, lowered: SSAValue) -> int | None:
    for owner in (value.owner, lowered.owner):
        if isinstance(owner, Operation):
            constant = owner.get_attr_or_prop("value")
            if is_integer_attr(constant):
                return constant.value.data
    return None


def _is_contiguous(type: AnyMemRef) -> bool:
    if is_identity_layout(type):
        return True
    layout = strides_and_offset(type)
    if layout is None or any(dynamic(size) or size == 0 for size in type.get_shape()):
        return False
    expected = 1
    for size, stride in zip(reversed(type.get_shape()), reversed(layout[0]), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _array_type(type: AnyMemRef, rewriter: ConversionRewriter) -> Attribute:
    result = rewriter.converted(type.element_type)
    for size in reversed(type.get_shape()):
        result = array(size, result)
    return result


def _scalar(values: Attribute) -> Attribute:
    """Return the only element of a rank-0 constant as an attribute."""
    if isinstance(values, DenseIntOrFPElementsAttr):
        return next(iter(values.iter_attrs()))
    if isinstance(values, TextAttr):
        element = element_type(values.type)
        number = values.text.data.removeprefix("dense<").removesuffix(">")
        return Parser(Context(), f"{number} : {element}").parse_attribute()
    return values


def _mixed(
    rewriter: ConversionRewriter, static: Sequence[int], values: Sequence[SSAValue]
) -> Iterator[SSAValue]:
    """Yield the lowered values for a mixed list of integers and operands; create constants on demand."""
    given = iter(rewriter.lowered_all(values))
    for number in static:
        yield next(given) if number == DYNAMIC_INDEX else build.index_constant(rewriter, number)


PATTERNS: Sequence[AnyPattern] = (
    ConvertAlloc(),
    ConvertAlloca(),
    ConvertDealloc(),
    ConvertLoad(),
    ConvertStore(),
    ConvertCast(),
    ConvertMemorySpaceCast(),
    ConvertDim(),
    ConvertRank(),
    ConvertCopy(),
    ConvertGlobal(),
    ConvertGetGlobal(),
    ConvertReinterpretCast(),
    ConvertView(),
    ConvertExtractStridedMetadata(),
    ConvertExtractAlignedPointer(),
    *memref_atomics.PATTERNS,
    *memref_hints.PATTERNS,
    *memref_scope.PATTERNS,
    *memref_shape.PATTERNS,
)
