"""Lowers transfers of one-dimensional vectors to loads and stores, before the conversion since LLVM 20.

Source: `TransferReadToVectorLoadLowering` and `TransferWriteToVectorStoreLowering` in
mlir/lib/Dialect/Vector/Transforms/LowerVectorTransfer.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from gpuasync_lsp.lowering.conversion.edits import NewOpT, insert_before
from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.syntax.dialects import arith, vector
from gpuasync_lsp.syntax.kinds import is_memref, is_number, is_vector, map_of, vector_type
from gpuasync_lsp.syntax.memref_types import AnyMemRef, strides_and_offset

AnyVector = VectorType[Attribute]


class Changes(Protocol):
    """Changes the program on behalf of a pattern, and notifies the greedy driver, if there is one."""

    def insert(self, op: NewOpT, before: Operation) -> NewOpT:
        """Insert `op` before another op, with the location of that op; return `op`."""
        ...

    def replace(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        """Replace `op` with `values` and erase it."""
        ...


class _Unobserved:
    """Changes that no driver observes."""

    def insert(self, op: NewOpT, before: Operation) -> NewOpT:
        insert_before(before, op)
        return op

    def replace(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        for result, value in zip(op.results, values, strict=True):
            if value is not None:
                result.replace_all_uses_with(value)
        op.detach()
        op.erase(safe_erase=False)


def lower_transfer(op: Operation, changes: Changes | None = None, splats: bool = False) -> bool:
    """Replace a transfer with a load or store, masked or not; return whether it was replaced.

    `splats` selects `vector.splat` to repeat values, for releases whose gpu-to-llvm does not lower
    broadcasts.
    """
    changes = _Unobserved() if changes is None else changes
    if is_masked(op):
        return False
    if isinstance(op, vector.TransferReadOp):
        repeated = repeated_dimensions(op)
        if repeated is None:
            return False
        _read(op, changes, repeated, splats)
        return True
    if isinstance(op, vector.TransferWriteOp) and repeated_dimensions(op) == []:
        _write(op, changes)
        return True
    return False


def is_masked(op: Operation) -> bool:
    """Return whether a transfer is in a `vector.mask`; patterns skip it (`MaskableOpRewritePattern`)."""
    return isinstance(op.parent_op(), vector.MaskOp)


def repeated_dimensions(op: vector.TransferReadOp | vector.TransferWriteOp) -> list[int] | None:
    """Return the dimensions of a transfer's vector that repeat one element.

    Returns None if the other dimensions do not access consecutive elements in bounds."""
    value = op.vector if isinstance(op, vector.TransferReadOp) else op.value_to_store
    base, found = op.base.type, value.type
    if not is_vector(found) or not is_memref(base):
        return None
    if found.get_num_dims() > 1 or not _is_consecutive(base):
        return None
    if base.element_type not in (found.element_type, found):
        return None
    if not all(bounds_of(op)):
        return None
    map = map_of(op.permutation_map)
    if map.num_dims < len(map.results):
        return None
    repeated: list[int] = []
    for number, result in enumerate(map.results):
        if isinstance(result, AffineConstantExpr) and result.value == 0:
            repeated.append(number)
        elif result != AffineDimExpr(map.num_dims - len(map.results) + number):
            return None
    if op.mask is not None and found.get_num_dims() != 1:
        return None
    return repeated


def _is_consecutive(type: AnyMemRef) -> bool:
    layout = strides_and_offset(type)
    return layout is not None and (not layout[0] or layout[0][-1] == 1)


def _read(op: vector.TransferReadOp, changes: Changes, repeated: Sequence[int], splats: bool) -> None:
    type = vector_type(op.vector.type)
    shape = [1 if number in repeated else size for number, size in enumerate(type.get_shape())]
    loaded = VectorType(type.element_type, shape, type.scalable_dims)
    address = [op.base, *op.indices]
    if op.mask is not None:
        fill = changes.insert(_fill(op.padding, loaded, splats), op).results[0]
        new = vector.MaskedLoadOp.create(operands=[*address, op.mask, fill], result_types=[loaded])
    else:
        new = vector.LoadOp.create(operands=address, result_types=[loaded])
    value = changes.insert(new, op).results[0]
    if repeated:
        value = changes.insert(vector.BroadcastOp.create(operands=[value], result_types=[type]), op).results[
            0
        ]
    changes.replace(op, [value])


def _write(op: vector.TransferWriteOp, changes: Changes) -> None:
    value, address = op.value_to_store, [op.base, *op.indices]
    if op.mask is not None:
        new = vector.MaskedStoreOp.create(operands=[*address, op.mask, value])
    else:
        new = vector.StoreOp.create(operands=[value, *address])
    changes.insert(new, op)
    changes.replace(op, [None] * len(op.results))


def _fill(padding: SSAValue, type: AnyVector, splats: bool) -> Operation:
    """Create an op that splats `padding`; it is a constant if `padding` is, because MLIR folds it."""
    value = padding.owner.value if isinstance(padding.owner, arith.ConstantOp) else None
    if is_number(value):
        dense = splat(type, value.value.data)
        return arith.ConstantOp.create(result_types=[type], properties={"value": dense})
    made = vector.SplatOp if splats else vector.BroadcastOp
    return made.create(operands=[padding], result_types=[type])
