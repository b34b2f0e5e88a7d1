"""The folders of the memref dialect. Source: `fold` in mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.fold_arith import constant_int, integer
from gpuasync_lsp.lowering.types import AnyMemRef, dynamic, is_memref, strides_and_offset
from gpuasync_lsp.syntax.dialects import arith, gpu, memref
from gpuasync_lsp.syntax.dialects.assembly import integers

Folded = Sequence["SSAValue | arith.ConstantOp"]

INDEX = IndexType()


def _dim(op: Operation) -> Folded | None:
    dim = cast(memref.DimOp, op)
    index = constant_int(dim.index)
    if index is None or not is_memref(dim.source.type):
        return None
    shape = cast(AnyMemRef, dim.source.type).get_shape()
    if not 0 <= index < len(shape):
        return None
    if not dynamic(shape[index]):
        return [integer(shape[index], INDEX)]
    position = sum(map(dynamic, shape[:index]))
    owner = dim.source.owner
    if isinstance(owner, memref.AllocOp | memref.AllocaOp | gpu.AllocOp):
        return [owner.dynamic_sizes[position]]
    if isinstance(owner, memref.ViewOp):
        return [owner.sizes[position]]
    if isinstance(owner, memref.SubviewOp):
        kept = list(integers(owner.static_sizes))
        if len(kept) == len(shape):
            return [owner.sizes[sum(map(dynamic, kept[:index]))]]
    return None


def _rank(op: Operation) -> Folded | None:
    type: Attribute = cast(memref.RankOp, op).source.type
    return [integer(len(cast(AnyMemRef, type).get_shape()), INDEX)] if is_memref(type) else None


def _cast(op: Operation) -> Folded | None:
    """A cast to the type that it is given, itself perhaps the source of a cast."""
    (source,) = op.operands
    type: Attribute = op.results[0].type
    if source.type == type:
        return [source]
    owner = source.owner
    if (
        isinstance(owner, memref.CastOp | memref.MemorySpaceCastOp)
        and owner.name == op.name
        and owner.operands[0].type == type
    ):
        return [owner.operands[0]]
    return None


def known_metadata(op: memref.ExtractStridedMetaDataOp) -> dict[SSAValue, int]:
    """Return which results of `op` the type of its operand tells."""
    type = cast(AnyMemRef, op.source.type)
    layout = strides_and_offset(type)
    if layout is None:
        return {}
    strides, offset = layout
    numbers = [offset, *type.get_shape(), *strides]
    pairs = zip(op.results[1:], numbers, strict=True)
    return {result: number for result, number in pairs if result.first_use and not dynamic(number)}


def skip_casts(op: Operation) -> bool:
    """Let an access take what a memref.cast was given, if that is ranked; tell whether one changed."""
    if not isinstance(op, _TAKE_CASTS):
        return False
    changed = False
    for index, operand in enumerate(op.operands):
        cast = operand.owner
        if isinstance(cast, memref.CastOp) and is_memref(cast.source.type):
            op.operands[index] = cast.source
            changed = True
    return changed


_TAKE_CASTS = (memref.DimOp, memref.LoadOp, memref.StoreOp, memref.DeallocOp, memref.PrefetchOp)

FOLDERS: dict[type[Operation], Callable[[Operation], Folded | None]] = {
    memref.DimOp: _dim,
    memref.RankOp: _rank,
    memref.CastOp: _cast,
    memref.MemorySpaceCastOp: _cast,
}
"""By op class."""
