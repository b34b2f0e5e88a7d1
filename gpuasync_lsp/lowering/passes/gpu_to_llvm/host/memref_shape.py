"""Converts memref.reshape and memref.transpose to new descriptors of the same memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    UnrealizedConversionCastOp,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.edits import region_of
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, struct
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import unranked
from gpuasync_lsp.syntax.dialects import llvm, memref
from gpuasync_lsp.syntax.kinds import is_unranked_memref, memref_type
from gpuasync_lsp.syntax.memref_types import dynamic, memory_space, strides_and_offset

SGE = 5
"""The predicate `sge` of `llvm.icmp`."""


class ConvertReshape(ConversionPattern[memref.ReshapeOp]):
    """`memref.reshape` becomes a new descriptor; the shape operand may have static or dynamic length.

    From LLVM 17 on, if functions are converted, sizes must have the type of a lowered index: mlir-opt
    loads other integers with a memref.load whose result it cannot convert at that point."""

    def match_and_rewrite(self, op: memref.ReshapeOp, rewriter: ConversionRewriter) -> None:
        source = rewriter.lowered(op.source)
        if dynamic(memref_type(op.shape.type).get_shape()[0]):
            self._by_loop(op, rewriter, source)
            return
        if is_unranked_memref(op.result.type):
            rewriter.match_failure("mlir-opt crashes for an unranked result with a shape of known length")
        type = memref_type(op.result.type)
        if any(map(dynamic, type.get_shape())):
            self._reject_unread_sizes(op, rewriter)
        layout = strides_and_offset(type)
        assert layout is not None, "a converted memref is strided"
        result = build.undefined(rewriter, rewriter.converted(type))
        allocated, aligned, _ = pointers_and_offset(rewriter, op.source, source, with_offset=False)
        result = build.insert_value(rewriter, allocated, result, descriptors.ALLOCATED)
        result = build.insert_value(rewriter, aligned, result, descriptors.ALIGNED)
        offset = build.index_constant(rewriter, layout[1])
        result = build.insert_value(rewriter, offset, result, descriptors.OFFSET)
        running: SSAValue | None = None
        for d in reversed(range(len(type.get_shape()))):
            known, given = layout[0][d], type.get_shape()[d]
            stride = running if dynamic(known) else build.index_constant(rewriter, known)
            assert stride is not None, "the innermost stride is 1"
            size = self._size(op, d, rewriter) if dynamic(given) else build.index_constant(rewriter, given)
            result = build.insert_value(rewriter, size, result, descriptors.SIZES, d)
            result = build.insert_value(rewriter, stride, result, descriptors.STRIDES, d)
            running = build.multiply(rewriter, stride, size)
        rewriter.replace(op, [result])

    @staticmethod
    def _reject_unread_sizes(op: memref.ReshapeOp, rewriter: ConversionRewriter) -> None:
        if not rewriter.functions_convert or rewriter.profile.reads_all_shapes:
            return
        if memref_type(op.shape.type).element_type != rewriter.types.index:
            rewriter.match_failure("mlir-opt cannot convert the sizes that it loads from the shape")

    @staticmethod
    def _size(op: memref.ReshapeOp, position: int, rewriter: ConversionRewriter) -> SSAValue:
        """Load a size from the shape operand, and cast it to the type of a lowered index."""
        type, index = memref_type(op.shape.type), rewriter.types.index
        at = build.index_constant(rewriter, position)
        address = descriptors.element_address(rewriter, type, rewriter.lowered(op.shape), [at])
        value = build.load(rewriter, address, rewriter.converted(type.element_type))
        if isinstance(type.element_type, IndexType):
            value = build.cast(rewriter, UnrealizedConversionCastOp, value, type.element_type)
        return (
            value if value.type == index else build.cast(rewriter, UnrealizedConversionCastOp, value, index)
        )

    @staticmethod
    def _by_loop(op: memref.ReshapeOp, rewriter: ConversionRewriter, source: SSAValue) -> None:
        """Insert a loop that stores the sizes from last to first; the rank is the length of the shape."""
        shape = rewriter.lowered(op.shape)
        element = rewriter.converted(memref_type(op.shape.type).element_type)
        space, size_type = memory_space(op.result.type) or 0, rewriter.types.index
        before = op.parent
        assert before is not None, "a converted op is in a block"
        region = region_of(before)

        rank = build.extract_value(rewriter, shape, descriptors.SIZES, 0)
        result, slot, _ = unranked.allocate(rewriter, rank)
        allocated, aligned, offset = pointers_and_offset(rewriter, op.source, source)
        assert offset is not None
        unranked.store_pointers(rewriter, slot, space, allocated, aligned)
        unranked.store_offset(rewriter, slot, space, offset)
        sizes = build.element_pointer(rewriter, slot, struct((PTR, PTR, size_type, size_type)), [0, 3])
        strides = build.element_pointer(rewriter, sizes, size_type, [rank])
        given = descriptors.aligned_pointer(rewriter, shape)
        one = build.index_constant(rewriter, 1)
        last = build.arithmetic(rewriter, llvm.SubOp, rank, one)

        after = before.split_before(op)
        test, body = Block(arg_types=[size_type, size_type]), Block()
        region.insert_block_before([test, body], after)
        index, stride = test.args
        with rewriter.at_end(before):
            build.branch(rewriter, test, [last, one])
        with rewriter.at_end(test):
            compare = rewriter.create(
                llvm.ICmpOp,
                [index, build.index_constant(rewriter, 0)],
                i1,
                {"predicate": IntegerAttr(SGE, i64)},
            )
            rewriter.add(
                llvm.CondBrOp.create(
                    operands=[compare],
                    successors=[body, after],
                    properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0, 0])},
                )
            )
        with rewriter.at_end(body):
            size = build.load(rewriter, build.element_pointer(rewriter, given, element, [index]), size_type)
            build.store(rewriter, size, build.element_pointer(rewriter, sizes, size_type, [index]))
            build.store(rewriter, stride, build.element_pointer(rewriter, strides, size_type, [index]))
            outer = build.multiply(rewriter, stride, size)
            build.branch(rewriter, test, [build.arithmetic(rewriter, llvm.SubOp, index, one), outer])
        rewriter.replace(op, [result])


class ConvertTranspose(ConversionPattern[memref.TransposeOp]):
    """`memref.transpose` permutes sizes and strides."""

    def match_and_rewrite(self, op: memref.TransposeOp, rewriter: ConversionRewriter) -> None:
        source = rewriter.lowered(op.in_)
        permutation = op.permutation.data
        if permutation == AffineMap.identity(permutation.num_dims):
            rewriter.replace(op, [source])
            return
        result = build.undefined(rewriter, rewriter.converted(op.result.type))
        for position in (descriptors.ALLOCATED, descriptors.ALIGNED, descriptors.OFFSET):
            field = build.extract_value(rewriter, source, position)
            result = build.insert_value(rewriter, field, result, position)
        for target, expression in enumerate(permutation.results):
            number = cast(AffineDimExpr, expression).position
            for part in (descriptors.SIZES, descriptors.STRIDES):
                field = build.extract_value(rewriter, source, part, number)
                result = build.insert_value(rewriter, field, result, part, target)
        rewriter.replace(op, [result])


def pointers_and_offset(
    rewriter: ConversionRewriter, operand: SSAValue, source: SSAValue, with_offset: bool = True
) -> tuple[SSAValue, SSAValue, SSAValue | None]:
    """Return the allocated pointer, the aligned pointer and the offset of a ranked or unranked memref."""
    type: Attribute = operand.type
    if not is_unranked_memref(type):
        allocated = descriptors.allocated_pointer(rewriter, source)
        aligned = descriptors.aligned_pointer(rewriter, source)
        offset = build.extract_value(rewriter, source, descriptors.OFFSET) if with_offset else None
        return allocated, aligned, offset
    inner, space = unranked.memory(rewriter, source), memory_space(type) or 0
    allocated = unranked.load_allocated(rewriter, inner, space)
    aligned = unranked.load_aligned(rewriter, inner, space)
    return allocated, aligned, unranked.load_offset(rewriter, inner, space) if with_offset else None


PATTERNS: Sequence[AnyPattern] = (ConvertReshape(), ConvertTranspose())
