"""Inserts code that runs only if an access is in bounds and not masked out."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion.folders import fold
from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import (
    INDEX,
    Builder,
    Transfer,
    is_repeated,
)
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, memref
from gpuasync_lsp.syntax.kinds import vector_type

Fill = Callable[[Builder], "SSAValue | None"]


def only_inside(
    builder: Builder,
    op: Transfer,
    counter: SSAValue,
    dimension: int | None,
    type: Attribute | None,
    inside: Fill,
    outside: Fill,
) -> SSAValue | None:
    """Insert the ops that `inside` builds, wrapped in an scf.if unless the access is known to be valid.

    `counter` is added to the index in memory dimension `dimension`, if that is not None; `outside` builds
    the else branch. `type` is the type of the value that both branches return, or None."""
    conditions: list[SSAValue] = []
    if dimension is not None and not bounds_of(op)[0]:
        size = _size(builder, op.base, dimension)
        place = builder.sum(op.indices[dimension], counter)
        conditions.append(builder.value(arith.CmpiOp(size, place, "sgt")))
    if op.mask is not None and len(vector_type(op.mask.type).get_shape()) == 1 and not is_repeated(op):
        conditions.append(builder.element(op.mask, counter))
    if not conditions:
        return inside(builder)
    condition = conditions[0]
    if len(conditions) > 1:
        condition = builder.value(arith.AndIOp(conditions[0], conditions[1]))
    return builder.either(condition, type, inside, outside)


def _size(builder: Builder, base: SSAValue, dimension: int) -> SSAValue:
    """Emit the size of a dimension of a memref or tensor, folded if possible."""
    at = builder.index(dimension)
    kind = op_class("tensor.dim") if base.type.name == "tensor" else memref.DimOp
    op = kind.create(operands=[base, at], result_types=[INDEX])
    folded = fold(op, builder.profile)
    if folded is None:
        return builder.value(op)
    op.erase()
    (known,) = folded
    return known if isinstance(known, SSAValue) else builder.value(known)
