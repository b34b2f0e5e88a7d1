"""The folders of the memref dialect. Source: `fold` in mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from gpuasync_lsp.lowering.conversion.folders.constants import Folder, constant_int, integer
from gpuasync_lsp.syntax.dialects import arith, memref
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import is_memref, is_tensor, memref_type
from gpuasync_lsp.syntax.memref_types import dynamic, strides_and_offset

Folded = Sequence["SSAValue | arith.ConstantOp"]

INDEX = IndexType()


def _dim(dim: memref.DimOp) -> Folded | None:
    index = constant_int(dim.index)
    if index is None or not is_memref(dim.source.type):
        return None
    shape = memref_type(dim.source.type).get_shape()
    if not 0 <= index < len(shape):
        return None
    if not dynamic(shape[index]):
        return [integer(shape[index], INDEX)]
    position = sum(map(dynamic, shape[:index]))
    owner = dim.source.owner
    if isinstance(owner, memref.AllocOp | memref.AllocaOp):
        return [owner.dynamic_sizes[position]]
    if isinstance(owner, memref.ViewOp):
        return [owner.sizes[position]]
    if isinstance(owner, memref.SubviewOp):
        kept = list(integers(owner.static_sizes))
        if len(kept) == len(shape):
            return [owner.sizes[sum(map(dynamic, kept[:index]))]]
    return None


def fold_static_size(op: Operation) -> Folded | None:
    """Fold the size of a tensor dimension at a constant index, if it is static."""
    type, index = op.operands[0].type, constant_int(op.operands[1])
    if index is None or not is_tensor(type):
        return None
    shape = type.get_shape()
    return [integer(shape[index], INDEX)] if 0 <= index < len(shape) and not dynamic(shape[index]) else None


def _rank(op: memref.RankOp) -> Folded | None:
    type: Attribute = op.memref.type
    return [integer(len(memref_type(type).get_shape()), INDEX)] if is_memref(type) else None


def _cast(op: Operation) -> Folded | None:
    """Fold a cast to the same type, and a cast that undoes another one."""
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


def _transpose(transpose: memref.TransposeOp) -> Folded | None:
    map = transpose.permutation.data
    same = map == AffineMap.identity(map.num_dims) and transpose.in_.type == transpose.result.type
    return [transpose.in_] if same else None


def _reshape(reshape: memref.ExpandShapeOp | memref.CollapseShapeOp) -> Folded | None:
    """Fold a reshape to the same type, and a reshape that undoes another one."""
    if reshape.src.type == reshape.result.type:
        return [reshape.src]
    source = reshape.src.owner
    if not isinstance(source, memref.ExpandShapeOp | memref.CollapseShapeOp) or type(source) is type(reshape):
        return None
    groups: list[Attribute] = [cast("memref.ExpandShapeOp", each).reassociation for each in (source, reshape)]
    same = source.src.type == reshape.result.type and groups[0] == groups[1]
    return [source.src] if same else None


def _subview(view: memref.SubviewOp) -> Folded | None:
    """Fold a subview that selects all of a static memref, or all of an earlier subview."""
    if view.source.type != view.result.type:
        return None
    layout = strides_and_offset(memref_type(view.result.type))
    known = (*memref_type(view.result.type).get_shape(), *(layout[0] if layout else ()))
    if layout is not None and not any(map(dynamic, (*known, layout[1]))):
        return [view.source]
    source = view.source.owner
    if not isinstance(source, memref.SubviewOp) or any(integers(view.static_offsets)):
        return None
    same = integers(source.static_sizes) == integers(view.static_sizes) and [*source.sizes] == [*view.sizes]
    return [view.source] if same and all(step == 1 for step in integers(view.static_strides)) else None


def known_metadata(op: memref.ExtractStridedMetaDataOp) -> dict[SSAValue, int]:
    """Map each used result of `op` that its operand's type makes static to its constant value."""
    type = memref_type(op.source.type)
    layout = strides_and_offset(type)
    if layout is None:
        return {}
    strides, offset = layout
    numbers = [offset, *type.get_shape(), *strides]
    pairs = zip(op.results[1:], numbers, strict=True)
    return {result: number for result, number in pairs if result.first_use and not dynamic(number)}


def skip_casts(op: Operation) -> bool:
    """Replace operands defined by a memref.cast of a ranked memref, or by certain views, with the source.

    Return whether an operand changed."""
    if isinstance(op, memref.MemorySpaceCastOp | memref.ReinterpretCastOp):
        return _skip_view(op)
    if op.name not in _TAKE_CASTS and not op.name.startswith("linalg."):
        return False
    if isinstance(op, memref.DimOp) and (constant_int(op.index) is None or not is_memref(op.source.type)):
        return False
    changed = False
    for index, operand in enumerate(op.operands):
        source = operand.owner
        if not isinstance(source, memref.CastOp) or not is_memref(source.source.type):
            continue
        if isinstance(op, memref.CopyOp) and not _forgets(source):
            continue
        if isinstance(op, memref.CastOp) and not _fit(source.source.type, op.results[0].type):
            continue
        op.operands[index] = source.source
        changed = True
    return changed


def _skip_view(op: Operation) -> bool:
    """Skip a memory_space_cast that another one follows, and a cast or subview before a reinterpret_cast."""
    source = op.operands[0].owner
    if isinstance(op, memref.ReinterpretCastOp):
        if isinstance(source, memref.SubviewOp):
            skipped = all(offset == 0 for offset in integers(source.static_offsets))
        else:
            skipped = isinstance(source, memref.ReinterpretCastOp | memref.CastOp)
    else:
        skipped = isinstance(source, memref.MemorySpaceCastOp)
    if not skipped or not isinstance(source, Operation):
        return False
    op.operands[0] = source.operands[0]
    return True


def _forgets(cast_op: memref.CastOp) -> bool:
    """Return whether a cast between ranked memrefs makes no size, stride or offset static.

    Source: `CastOp::canFoldIntoConsumerOp`."""
    if not is_memref(cast_op.dest.type):
        return False
    types = [memref_type(type) for type in (cast_op.source.type, cast_op.dest.type)]
    layouts = [strides_and_offset(type) for type in types]
    if layouts[0] is None or layouts[1] is None:
        return False
    given, made = (
        (*type.get_shape(), *strides, offset)
        for type, (strides, offset) in zip(types, (layouts[0], layouts[1]), strict=True)
    )
    return all(dynamic(new) or not dynamic(old) for old, new in zip(given, made, strict=True))


def _fit(source: Attribute, target: Attribute) -> bool:
    """Return whether the static sizes of two types agree."""
    if not is_memref(target):
        return True
    sizes = (memref_type(type).get_shape() for type in (source, target))
    return all(a == b or dynamic(a) or dynamic(b) for a, b in zip(*sizes, strict=True))


_TAKE_CASTS = frozenset(
    (
        *("memref.cast", "memref.copy", "memref.dim", "memref.load", "memref.store", "memref.dealloc"),
        *("memref.prefetch", "gpu.memcpy", "gpu.memset", "affine.load", "affine.store", "affine.prefetch"),
        *("vector.load", "vector.store", "vector.maskedload", "vector.maskedstore"),
        *("vector.transfer_read", "vector.transfer_write"),
    )
)
"""The ops that skip casts, by name: most programs need not import the classes of affine and vector."""

FOLDERS: dict[type[Operation], Folder] = {
    memref.DimOp: _dim,
    memref.RankOp: _rank,
    memref.CastOp: _cast,
    memref.MemorySpaceCastOp: _cast,
    memref.TransposeOp: _transpose,
    memref.SubviewOp: _subview,
    memref.ExpandShapeOp: _reshape,
    memref.CollapseShapeOp: _reshape,
}
"""Maps each op class to its folder."""
