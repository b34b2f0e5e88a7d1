"""Builders for the patterns of `convert-vector-to-llvm`: they extract and insert parts of vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, BoolAttr, IntegerAttr, VectorType, i64
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import (
    AnyVector,
    Builder,
    extraction,
    insertion,
)
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import positions
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, vector
from gpuasync_lsp.syntax.dialects.assembly import i64_array
from gpuasync_lsp.syntax.kinds import is_vector, number_attr, vector_type


def as_vector(type: Attribute) -> AnyVector | None:
    """Return `type` if it is a vector type, otherwise None."""
    return type if is_vector(type) else None


def of(value: SSAValue) -> AnyVector:
    """Return the type of a vector."""
    return vector_type(value.type)


def scalable(type: AnyVector) -> list[bool]:
    """Return for each dimension whether it is scalable."""
    return [bool(each.value.data) for each in type.scalable_dims]


def shaped(like: AnyVector, sizes: Sequence[int], scales: Sequence[bool] = ()) -> AnyVector:
    """Return a vector type with the element type of `like` and these sizes."""
    known = [*scales, *[False] * (len(sizes) - len(scales))]
    if not any(known):
        return VectorType(like.element_type, list(sizes))
    flags = ArrayAttr([BoolAttr.from_bool(each) for each in known])
    return VectorType(like.element_type, list(sizes), flags)


def without_front(type: AnyVector, count: int = 1) -> AnyVector:
    """Return a vector type without its first dimensions."""
    return shaped(type, type.get_shape()[count:], scalable(type)[count:])


def extract(builder: Builder, value: SSAValue, *position: int) -> SSAValue:
    """Insert an op that extracts a part or an element of a vector."""
    type = of(value)
    if not position and not type.get_shape() and not builder.profile.extracts_at_values:
        return builder.create(vector.ExtractElementOp, [value], type.element_type)
    whole = len(position) == len(type.get_shape())
    return builder.value(
        extraction(value, position, type.element_type if whole else without_front(type, len(position)))
    )


def insert(builder: Builder, value: SSAValue, into: SSAValue, *position: int) -> SSAValue:
    """Insert an op that inserts a part or an element into a vector."""
    if not position and not of(into).get_shape() and not builder.profile.extracts_at_values:
        return builder.create(vector.InsertElementOp, [value, into], into.type)
    return builder.value(insertion(value, into, position))


def zero(builder: Builder, type: Attribute) -> SSAValue:
    """Insert a constant of zeros."""
    shape = as_vector(type)
    element = type if shape is None else shape.element_type
    number = 0.0 if isinstance(element, AnyFloat) else 0
    value = splat(shape, number) if shape is not None else number_attr(number, element)
    return builder.create(arith.ConstantOp, [], type, {"value": value})


def nothing(builder: Builder, type: Attribute) -> SSAValue:
    """Insert the initial value of a vector that is overwritten completely: poison, or zeros."""
    if not builder.profile.poison_aggregates:
        return zero(builder, type)
    return builder.value(PoisonOp(type))


def broadcast(builder: Builder, value: SSAValue, type: Attribute) -> SSAValue:
    """Insert a vector.broadcast."""
    return builder.create(vector.BroadcastOp, [value], type)


def transposed(builder: Builder, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """Insert a vector.transpose."""
    type = of(value)
    result = shaped(type, [type.get_shape()[n] for n in order], [scalable(type)[n] for n in order])
    return builder.create(vector.TransposeOp, [value], result, {"permutation": i64_array(order)})


def shuffled(builder: Builder, first: SSAValue, second: SSAValue, mask: Sequence[int]) -> SSAValue:
    """Insert a vector.shuffle."""
    result = shaped(of(first), [len(mask), *of(first).get_shape()[1:]])
    return builder.create(vector.ShuffleOp, [first, second], result, {"mask": i64_array(mask)})


def by_table(
    builder: Builder,
    name: str,
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    properties: Mapping[str, Attribute] | None = None,
) -> Operation:
    """Insert an op that has no handwritten class."""
    made = op_class(name).create(operands=operands, result_types=types, properties=dict(properties or {}))
    return builder.add(made)


def i64_list(numbers: Sequence[int]) -> Attribute:
    """Return an array of i64 attributes."""
    return ArrayAttr([IntegerAttr(each, i64) for each in numbers])


def rows(type: AnyVector, kept: int = 1) -> list[tuple[int, ...]] | None:
    """Return the positions of the parts of a vector that have `kept` dimensions.

    The parts have more dimensions if unrolling ends at a scalable one. Returns None if no dimension can be
    unrolled (`createUnrollIterator`)."""
    sizes, scales = list(type.get_shape()), scalable(type)
    outer = max(len(sizes) - kept, 0)
    if True in scales[:outer]:
        outer = scales.index(True)
    return None if outer == 0 else list(positions(sizes[:outer]))
