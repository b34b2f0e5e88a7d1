"""Computes the offset, sizes and strides of views from those of their sources.

Source: `resolveSubviewStridedMetadata` and `resolveReshapeStridedMetadata` in
mlir/lib/Dialect/MemRef/Transforms/ExpandStridedMetadata.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, MemRefType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from gpuasync_lsp.lowering.conversion.affine_numbers import Number, apply, least, symbol, times
from gpuasync_lsp.lowering.conversion.views import groups, kept_dimensions, mixed
from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.syntax.dialects import memref
from gpuasync_lsp.syntax.dialects.assembly import i32_array
from gpuasync_lsp.syntax.kinds import is_memref, memref_type
from gpuasync_lsp.syntax.memref_types import AnyMemRef, dynamic, strides_and_offset

_INDEX = IndexType()


class Layout(NamedTuple):
    """The base buffer, offset, sizes and strides of a memref."""

    base: SSAValue
    offset: Number
    sizes: Sequence[Number]
    strides: Sequence[Number]


def is_strided(*types: Attribute) -> bool:
    """Return whether all `types` are memrefs with a strided layout, static or dynamic."""
    return all(is_memref(t) and strides_and_offset(t) is not None for t in types)


def known_layout(type: AnyMemRef) -> tuple[Sequence[int], int]:
    """Return the strides and the offset of a strided memref's type."""
    layout = strides_and_offset(type)
    assert layout is not None, "the caller checked `is_strided`"
    return layout


def metadata(source: SSAValue, before: Operation, rewriter: Rewriter) -> memref.ExtractStridedMetaDataOp:
    """Insert an op before `before` that extracts the layout of `source`; return the layout."""
    type = memref_type(source.type)
    base = MemRefType(type.element_type, [], memory_space=type.memory_space)
    numbers = [_INDEX] * (1 + 2 * len(type.get_shape()))
    made = memref.ExtractStridedMetaDataOp.create(operands=[source], result_types=[base, *numbers])
    rewriter.insert(made, before)
    return made


def of_subview(op: memref.SubviewOp, before: Operation, rewriter: Rewriter) -> Layout:
    """Return the layout of a subview; the ops that compute it are inserted before `before`."""
    source = memref_type(op.source.type)
    known_strides, known_offset = known_layout(source)
    extracted = metadata(op.source, before, rewriter)
    offsets = mixed(op.static_offsets, op.offsets)
    sizes = mixed(op.static_sizes, op.sizes)
    steps = mixed(op.static_strides, op.strides)
    numbers: list[Number] = [extracted.offset if dynamic(known_offset) else known_offset]
    expr: AffineExpr = symbol(0)
    strides: list[Number] = []
    for d, known in enumerate(known_strides):
        stride: Number = extracted.strides[d] if dynamic(known) else known
        product = times(symbol(0), symbol(1))
        strides.append(apply(product, [steps[d], stride], before, rewriter))
        expr += times(symbol(1 + 2 * d), symbol(2 + 2 * d))
        numbers += [offsets[d], stride]
    offset = apply(expr, numbers, before, rewriter)
    kept = kept_dimensions(op, rewriter.profile.drops_dimensions_by_position)
    return Layout(extracted.base_buffer, offset, [sizes[d] for d in kept], [strides[d] for d in kept])


def of_reshape(
    op: memref.ExpandShapeOp | memref.CollapseShapeOp, before: Operation, rewriter: Rewriter
) -> Layout:
    """Return the layout of a memref.expand_shape or collapse_shape; insert its ops before `before`."""
    source = memref_type(op.src.type)
    extracted = metadata(op.src, before, rewriter)
    known_strides, known_offset = known_layout(source)
    offset: Number = extracted.offset if dynamic(known_offset) else known_offset
    reshape = _Reshape(op, extracted, before, rewriter, known_strides)
    rank = len(memref_type(op.result.type).get_shape())
    if not source.get_shape():
        return Layout(extracted.base_buffer, offset, [1] * rank, [1] * rank)
    sizes: list[Number] = []
    strides: list[Number] = []
    for number, group in enumerate(groups(op)):
        if isinstance(op, memref.ExpandShapeOp):
            if rewriter.profile.expanded_sizes_are_given and op.static_output_shape is not None:
                given = mixed(op.static_output_shape, op.output_shape)
                sizes += [given[d] for d in group]
            else:
                sizes += reshape.expanded_sizes(number, group)
            strides += reshape.expanded_strides(number, group)
        else:
            sizes.append(reshape.collapsed_size(number, group))
            strides.append(reshape.collapsed_stride(number, group))
    return Layout(extracted.base_buffer, offset, sizes, strides)


def reinterpret_cast(layout: Layout, type: AnyMemRef) -> memref.ReinterpretCastOp:
    """Create a memref.reinterpret_cast to `type` with this layout."""
    operands: list[SSAValue] = [layout.base]
    counts = [1]
    static: list[list[int]] = []
    lists: list[Sequence[Number]] = [[layout.offset], layout.sizes, layout.strides]
    for numbers in lists:
        values = [number for number in numbers if not isinstance(number, int)]
        operands += values
        counts.append(len(values))
        static.append([number if isinstance(number, int) else DYNAMIC_INDEX for number in numbers])
    return memref.ReinterpretCastOp.create(
        operands=operands,
        result_types=[type],
        properties={
            "static_offsets": DenseArrayBase.from_list(i64, static[0]),
            "static_sizes": DenseArrayBase.from_list(i64, static[1]),
            "static_strides": DenseArrayBase.from_list(i64, static[2]),
            "operandSegmentSizes": i32_array(counts),
        },
    )


class _Reshape:
    """Computes the sizes and strides of a reshape, one reassociation group at a time."""

    def __init__(
        self,
        op: memref.ExpandShapeOp | memref.CollapseShapeOp,
        extracted: memref.ExtractStridedMetaDataOp,
        before: Operation,
        rewriter: Rewriter,
        known_strides: Sequence[int],
    ) -> None:
        self._extracted = extracted
        self._before = before
        self._rewriter = rewriter
        self._known_strides = known_strides
        self._shape = memref_type(op.src.type).get_shape()
        self._result = memref_type(op.result.type)

    def _apply(self, expr: AffineExpr, *numbers: Number) -> Number:
        return apply(expr, numbers, self._before, self._rewriter)

    def _stride(self, d: int) -> Number:
        known = self._known_strides[d]
        return self._extracted.strides[d] if dynamic(known) else known

    def expanded_sizes(self, number: int, group: Sequence[int]) -> list[Number]:
        """Return the sizes of a group; a dynamic size is the source's size divided by the static ones."""
        shape = self._result.get_shape()
        product = 1
        for d in group:
            product *= 1 if dynamic(shape[d]) else shape[d]
        size = self._extracted.sizes[number]
        quotient = symbol(0) // product if product else AffineConstantExpr(0)
        return [self._apply(quotient, size) if dynamic(shape[d]) else shape[d] for d in group]

    def expanded_strides(self, number: int, group: Sequence[int]) -> list[Number]:
        """Return the strides of a group: the source's stride times the sizes of all later dimensions."""
        shape = self._result.get_shape()
        products: list[int] = []
        product, unknown = 1, 0
        for position, d in reversed(list(enumerate(group))):
            products.insert(0, product)
            if dynamic(shape[d]):
                unknown = position
            else:
                product *= shape[d]
        stride = self._stride(number)
        size = self._extracted.sizes[number]
        found: list[Number] = []
        for position, each in enumerate(products):
            if position < unknown:
                rest = (symbol(0) * each) // product
                found.append(self._apply(times(rest, symbol(1)), size, stride))
            else:
                found.append(self._apply(symbol(0) * each, stride))
        return found

    def collapsed_size(self, number: int, group: Sequence[int]) -> Number:
        known = self._result.get_shape()[number]
        if not dynamic(known):
            return known
        product: AffineExpr = symbol(0)
        for position in range(1, len(group)):
            product = times(product, symbol(position))
        sizes = [self._extracted.sizes[d] if dynamic(self._shape[d]) else self._shape[d] for d in group]
        return self._apply(product, *sizes)

    def collapsed_stride(self, number: int, group: Sequence[int]) -> Number:
        """Return the stride of the group's last dimension whose size is not 1; without one, any stride is
        valid."""
        counted = [d for d in group if self._shape[d] != 1]
        if counted and self._rewriter.profile.collapses_to_least_stride:
            return least([self._stride(d) for d in counted], self._before, self._rewriter)
        if counted:
            return self._stride(counted[-1])
        known = known_layout(self._result)[0][number]
        if not dynamic(known):
            return known
        return next((s for s in map(self._stride, group) if not isinstance(s, int)), self._stride(group[-1]))
