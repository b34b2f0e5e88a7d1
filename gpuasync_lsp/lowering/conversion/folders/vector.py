"""In-place folds of vector ops. Source: mlir/lib/Dialect/Vector/IR/VectorOps.cpp.

The ops are recognized by name: most programs have no vector ops, and need not import their classes."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, BoolAttr
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineDimExpr

from gpuasync_lsp.lowering.conversion.folders.constants import constant_int
from gpuasync_lsp.syntax.kinds import bools_of, is_vector
from gpuasync_lsp.syntax.memref_types import dynamic

TRANSFERS = ("vector.transfer_read", "vector.transfer_write")


def mark_in_bounds(op: Operation) -> bool:
    """Mark the dimensions of a transfer that are provably in bounds; return whether any was marked.

    Source: `foldTransferInBoundsAttribute`."""
    if op.name not in TRANSFERS:
        return False
    transfer: Any = op
    value = transfer.vector if op.name == TRANSFERS[0] else transfer.value_to_store
    type: Attribute = value.type
    if not is_vector(type):
        return False
    sizes = type.get_shape()
    shape, results = transfer.base.type.get_shape(), transfer.permutation_map.data.results
    before = bounds_of(op)
    after = list(before)
    if len(results) != len(before) or len(sizes) < len(before):
        return False
    moving = [isinstance(result, AffineDimExpr) for result in results]
    for number, result in enumerate(results):
        if before[number] or not isinstance(result, AffineDimExpr):
            continue
        start = constant_int(transfer.indices[result.position])
        size = shape[result.position]
        after[number] = start is not None and not dynamic(size) and start + sizes[number] <= size
    if all(after[number] for number, moves in enumerate(moving) if moves):
        after = [known or not moves for known, moves in zip(after, moving, strict=True)]
    if after == before:
        return False
    op.properties["in_bounds"] = ArrayAttr([BoolAttr.from_bool(known) for known in after])
    return True


def bounds_of(transfer: Operation) -> list[bool]:
    """Return whether a transfer declares each dimension of the vector to be in bounds."""
    return bools_of(transfer.get_attr_or_prop("in_bounds"))
