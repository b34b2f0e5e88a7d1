"""Lets memref.extract_strided_metadata and extract_aligned_pointer_as_index look through views.

Source: the patterns `ExtractStridedMetadataOp...Folder` in
mlir/lib/Dialect/MemRef/Transforms/ExpandStridedMetadata.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from gpuasync_lsp.lowering.conversion.affine_numbers import Number, apply, symbol, times
from gpuasync_lsp.lowering.conversion.views import mixed
from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.expand_strided_metadata.layouts import (
    Layout,
    is_strided,
    known_layout,
    metadata,
    of_reshape,
    of_subview,
    reinterpret_cast,
)
from gpuasync_lsp.syntax.dialects import memref
from gpuasync_lsp.syntax.kinds import memref_type
from gpuasync_lsp.syntax.memref_types import dynamic, is_identity_layout

Metadata = memref.ExtractStridedMetaDataOp


def expand_metadata(extract: Metadata, rewriter: Rewriter) -> bool:
    """Replace the results of `op` if its operand is a view, or memory of known layout."""
    source = extract.source.owner
    expand = _OF.get(type(source)) if isinstance(source, Operation) else None
    if expand is None or not isinstance(source, Operation) or not is_strided(extract.source.type):
        return False
    layout = expand(source, extract, rewriter)
    if layout is None:
        return False
    base = layout.base if extract.base_buffer.first_use is not None else None
    numbers = [layout.offset, *layout.sizes, *layout.strides]
    rewriter.replace(extract, [base, *(rewriter.index(number, extract) for number in numbers)])
    return True


def expand_pointer(op: Operation, rewriter: Rewriter) -> bool:
    """Replace the operand of `op`, a view, with the view's source, which has the same pointer."""
    view = op.operands[0].owner
    if not isinstance(view, _VIEWS if rewriter.profile.pointers_of_all_views else _SOME_VIEWS):
        return False
    op.operands[0] = view.operands[0]
    rewriter.push(op)
    return True


_VIEWS = (
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.MemorySpaceCastOp,
    memref.ReinterpretCastOp,
    memref.SubviewOp,
    memref.ViewOp,
)
_SOME_VIEWS = (memref.ReinterpretCastOp, memref.SubviewOp)


def _of_subview(view: memref.SubviewOp, extract: Metadata, rewriter: Rewriter) -> Layout | None:
    if not rewriter.profile.extracts_from_subviews:
        return None
    return of_subview(view, extract, rewriter) if is_strided(view.source.type) else None


def _of_reshape(view: memref.ExpandShapeOp, extract: Metadata, rewriter: Rewriter) -> Layout | None:
    if not rewriter.profile.extracts_from_reshapes:
        return None
    return of_reshape(view, extract, rewriter) if is_strided(view.src.type) else None


def _of_allocation(source: Operation, extract: Metadata, rewriter: Rewriter) -> Layout | None:
    """Return the layout of an allocation, which is contiguous, with offset 0."""
    type = memref_type(source.results[0].type)
    if not is_identity_layout(type):
        return None
    given = iter(source.operands)
    sizes: list[Number] = [next(given) if dynamic(size) else size for size in type.get_shape()]
    strides: list[Number] = [1] * len(sizes)
    product: AffineExpr | None = None
    for d in reversed(range(len(sizes) - 1)):
        size = symbol(len(sizes) - 2 - d)
        product = size if product is None else times(product, size)
        strides[d] = apply(product, sizes[d + 1 :], extract, rewriter)
    return Layout(_base(extract, rewriter), 0, sizes, strides)


def _base(extract: Metadata, rewriter: Rewriter) -> SSAValue:
    """Return the base buffer of a memref with offset 0."""
    wanted = memref_type(extract.base_buffer.type)
    if extract.base_buffer.first_use is None or extract.source.type == wanted:
        return extract.source
    return rewriter.insert(reinterpret_cast(Layout(extract.source, 0, [], []), wanted), extract).results[0]


def _of_reinterpret_cast(
    cast_op: memref.ReinterpretCastOp, extract: Metadata, rewriter: Rewriter
) -> Layout | None:
    if not is_strided(cast_op.operands[0].type):
        return None
    inner = metadata(cast_op.operands[0], extract, rewriter)
    (offset,) = mixed(cast_op.static_offsets, cast_op.offsets)
    sizes = mixed(cast_op.static_sizes, cast_op.sizes)
    return Layout(inner.base_buffer, offset, sizes, mixed(cast_op.static_strides, cast_op.strides))


def _of_cast(source: Operation, extract: Metadata, rewriter: Rewriter) -> Layout | None:
    """Return the layout of a cast, whose source may have a more static type."""
    type: Attribute = source.operands[0].type
    if not is_strided(type):
        return None
    ranked = memref_type(type)
    strides, offset = known_layout(ranked)
    inner = metadata(source.operands[0], extract, rewriter)
    return Layout(
        inner.base_buffer,
        inner.offset if offset == DYNAMIC_INDEX else offset,
        _known(ranked.get_shape(), inner.sizes),
        _known(strides, inner.strides),
    )


def _of_space_cast(source: Operation, extract: Metadata, rewriter: Rewriter) -> Layout | None:
    """Return the layout of a cast to a different memory space; only the base buffer is cast."""
    type: Attribute = source.operands[0].type
    if not rewriter.profile.extracts_from_space_casts or not is_strided(type):
        return None
    inner = metadata(source.operands[0], extract, rewriter)
    base: SSAValue = inner.base_buffer
    wanted: Attribute = extract.base_buffer.type
    if extract.base_buffer.first_use is not None and base.type != wanted:
        base = rewriter.insert(
            memref.MemorySpaceCastOp.create(operands=[base], result_types=[wanted]), extract
        ).results[0]
    return Layout(base, inner.offset, inner.sizes, inner.strides)


def _known(numbers: Sequence[int], values: Sequence[SSAValue]) -> list[Number]:
    return [value if dynamic(number) else number for number, value in zip(numbers, values, strict=True)]


def _of_metadata(source: Operation, extract: Metadata, _: Rewriter) -> Layout | None:
    """Return the layout of an extracted base buffer, which is its own base."""
    return Layout(source.results[0], 0, [], []) if extract.source is source.results[0] else None


_OF: dict[type[Operation], Callable[[Any, Metadata, Rewriter], Layout | None]] = {
    memref.AllocOp: _of_allocation,
    memref.AllocaOp: _of_allocation,
    memref.CastOp: _of_cast,
    memref.CollapseShapeOp: _of_reshape,
    memref.ExpandShapeOp: _of_reshape,
    Metadata: _of_metadata,
    memref.GetGlobalOp: _of_allocation,
    memref.MemorySpaceCastOp: _of_space_cast,
    memref.ReinterpretCastOp: _of_reinterpret_cast,
    memref.SubviewOp: _of_subview,
}
