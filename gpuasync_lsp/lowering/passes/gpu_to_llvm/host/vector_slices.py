"""Converts vector.extract_strided_slice and insert_strided_slice to shuffles of rows (through LLVM 19).

Source: mlir/lib/Dialect/Vector/Transforms/VectorInsertExtractStridedSliceRewritePatterns.cpp; the
conversion of these releases includes its patterns. Measured in LLVM 16 to 20.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, VectorType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vector_more import AnyVector, is_scalable, shuffle
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.kinds import numbers_of, vector_type


class ConvertExtractSlice(ConversionPattern[Operation], ops=(op_class("vector.extract_strided_slice"),)):
    """`vector.extract_strided_slice` becomes a shuffle, or one per row; newer releases do not lower it."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        (source,) = op.operands
        given = vector_type(source.type)
        if not rewriter.profile.converts_slices or is_scalable(given):
            rewriter.match_failure("this release does not lower vector.extract_strided_slice")
        offsets, sizes, strides = (_numbers(op, name) for name in ("offsets", "sizes", "strides"))
        taken = [
            range(offset, offset + size * stride, stride)
            for offset, size, stride in zip(offsets, sizes, strides, strict=True)
        ]
        result = vector_type(op.results[0].type)
        rewriter.replace(op, [self._slice(rewriter, rewriter.lowered(source), given, result, taken)])

    def _slice(
        self,
        rewriter: ConversionRewriter,
        value: SSAValue,
        given: AnyVector,
        result: AnyVector,
        taken: Sequence[range],
    ) -> SSAValue:
        """Insert ops that extract the slice of `value` at the positions `taken` in its leading dimensions.

        `given` is the original type of `value`, `result` that of the slice."""
        if given == result:
            return value
        type = rewriter.converted(result)
        first, *rest = taken
        shape = given.get_shape()
        if len(shape) == 1:
            return shuffle(rewriter, [value, value], list(first), type)
        if rest:
            whole = build.constant(rewriter, splat(result, _zero(result)), type)
        else:
            whole = build.undefined(rewriter, type)
        inner = VectorType(given.element_type, shape[1:])
        part = VectorType(given.element_type, result.get_shape()[1:])
        for number, place in enumerate(first):
            row = build.extract_value(rewriter, value, place)
            if rest:
                row = self._slice(rewriter, row, inner, part, rest)
            whole = build.insert_value(rewriter, row, whole, number)
        return whole


class ConvertInsertSlice(ConversionPattern[Operation], ops=(op_class("vector.insert_strided_slice"),)):
    """`vector.insert_strided_slice` becomes shuffles, row by row; newer releases do not lower it."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        value, target = op.operands
        inner, outer = vector_type(value.type), vector_type(target.type)
        if not rewriter.profile.converts_slices or is_scalable(inner) or is_scalable(outer):
            rewriter.match_failure("this release does not lower vector.insert_strided_slice")
        offsets, strides = (_numbers(op, name) for name in ("offsets", "strides"))
        part, whole = rewriter.lowered(value), rewriter.lowered(target)
        at = offsets[: len(outer.get_shape()) - len(inner.get_shape())]
        if not at:
            result = self._put(rewriter, part, whole, (inner, outer), offsets, strides)
        else:
            row = build.extract_value(rewriter, whole, *at)
            rows = VectorType(outer.element_type, outer.get_shape()[len(at) :])
            part = self._put(rewriter, part, row, (inner, rows), offsets[len(at) :], strides)
            result = build.insert_value(rewriter, part, whole, *at)
        rewriter.replace(op, [result])

    def _put(
        self,
        rewriter: ConversionRewriter,
        value: SSAValue,
        target: SSAValue,
        types: tuple[AnyVector, AnyVector],
        offsets: Sequence[int],
        strides: Sequence[int],
    ) -> SSAValue:
        """Insert ops that write the slice `value` into `target`; `types` are their original types."""
        inner, outer = types
        if inner == outer:
            return value
        size, *less = inner.get_shape()
        places = range(offsets[0], offsets[0] + size * strides[0], strides[0])
        if not less:
            (length,) = outer.get_shape()
            type = rewriter.converted(outer)
            wide = shuffle(rewriter, [value, value], [*range(size), *[0] * (length - size)], type)
            mask = [places.index(n) if n in places else length + n for n in range(length)]
            return shuffle(rewriter, [wide, target], mask, type)
        row_types = (
            VectorType(inner.element_type, less),
            VectorType(outer.element_type, outer.get_shape()[1:]),
        )
        for number, place in enumerate(places):
            part = build.extract_value(rewriter, value, number)
            row = build.extract_value(rewriter, target, place)
            part = self._put(rewriter, part, row, row_types, offsets[1:], strides[1:])
            target = build.insert_value(rewriter, part, target, place)
        return target


def _numbers(op: Operation, name: str) -> list[int]:
    """Return the integers of an array of integer attributes."""
    return numbers_of(op.get_attr_or_prop(name))


def _zero(type: AnyVector) -> float | int:
    return 0.0 if isinstance(type.element_type, AnyFloat) else 0


PATTERNS: Sequence[AnyPattern] = (ConvertExtractSlice(), ConvertInsertSlice())
