"""The folders of the tensor dialect for ops of host code.

Source: `ExtractOp::fold`, `RankOp::fold` and `DimOp::fold` in mlir/lib/Dialect/Tensor/IR/TensorOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, FloatAttr, IndexType
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.conversion.folders.constants import Folded, constant_int, integer
from gpuasync_lsp.lowering.conversion.folders.memref import fold_static_size
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import (
    is_dense_elements,
    is_integer,
    is_tensor,
)
from gpuasync_lsp.text.effort import spend


def fold_tensor(op: Operation, profile: Profile) -> Folded | None:
    """Return the value or constant to which the result of a tensor op folds, or None."""
    if op.name == "tensor.dim":
        return fold_static_size(op)
    if op.name == "tensor.rank":
        shape = _shape(op.operands[0].type)
        return None if shape is None else [integer(len(shape), IndexType())]
    return _extracted(op, profile) if op.name == "tensor.extract" else None


def _shape(type: Attribute) -> Sequence[int] | None:
    return type.get_shape() if is_tensor(type) else None


def _extracted(op: Operation, profile: Profile) -> Folded | None:
    """Fold the extraction of an element at constant indices, and of any element of a splat."""
    source, *given = op.operands
    made = source.owner
    constant = made.value if isinstance(made, arith.ConstantOp) else None
    dense = constant if is_dense_elements(constant) else None
    if dense is not None and dense.is_splat():
        return _element(dense, 0)
    known = [constant_int(index) for index in given]
    indices = [number for number in known if number is not None]
    shape = _shape(source.type)
    if len(indices) < len(known) or shape is None or not isinstance(made, Operation):
        return None
    position = _flat(shape, indices)
    if made.name == "tensor.from_elements" and position is not None:
        return [made.operands[position]]
    if dense is not None and position is not None:
        return _element(dense, position)
    if made.name == "tensor.insert" and profile.extracts_what_was_inserted:
        scalar, _, *inserted = made.operands
        return [scalar] if [constant_int(index) for index in inserted] == indices else None
    return None


def _flat(shape: Sequence[int], indices: Sequence[int]) -> int | None:
    """Return the linear index of an element in row-major order; None if it is out of bounds."""
    position = 0
    for size, index in zip(shape, indices, strict=True):
        if not 0 <= index < size:
            return None
        position = position * size + index
    return position


def _element(dense: DenseIntOrFPElementsAttr, position: int) -> Folded | None:
    values, type = dense.get_values(), dense.get_element_type()
    spend(len(values))
    number = values[position]
    if isinstance(number, tuple):
        return None
    if is_integer(type):
        return [integer(int(number), type)]
    return [arith.ConstantOp(FloatAttr(number, type))] if isinstance(type, AnyFloat) else None
