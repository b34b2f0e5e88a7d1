"""Reads and creates constants for the folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.syntax import kinds
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import (
    is_dense_elements,
    is_float_attr,
    is_float_elements,
    is_integer_attr,
    numbers_of,
)

Folded = Sequence["SSAValue | arith.ConstantOp"]
Folder = Callable[[Any], "Folded | None"]
"""Folds an op; its parameter is an op of the class under which a table lists the folder."""

INDEX_BITS = 64


def constant_int(value: SSAValue) -> int | None:
    """Return the integer of a constant or splat constant; None if `value` is neither."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    constant = owner.value
    if is_dense_elements(constant) and is_integer(value.type):
        numbers = set(numbers_of(constant)) if constant.is_splat() else set[int]()
        return numbers.pop() if len(numbers) == 1 else None
    return constant.value.data if is_integer_attr(constant) else None


def constant_float(value: SSAValue) -> float | None:
    """Return the float of a constant or splat constant; None if `value` is neither."""
    owner = value.owner
    constant = owner.value if isinstance(owner, arith.ConstantOp) else None
    if is_float_elements(constant):
        return constant.get_values()[0] if constant.is_splat() else None
    return constant.value.data if is_float_attr(constant) else None


def integer(value: int, type: Attribute) -> arith.ConstantOp:
    """Create the constant `value`, wrapped to the width of `type`; signed, except for i1."""
    bits = bits_of(type)
    value &= (1 << bits) - 1
    if bits > 1 and value >= 1 << (bits - 1):
        value -= 1 << bits
    if isinstance(type, VectorType):
        return arith.ConstantOp(splat(cast(Attribute, type), value))
    return arith.ConstantOp(IntegerAttr(value, cast(IntegerType | IndexType, type)))


def folded_integer(value: int, op: Operation) -> Folded | None:
    """Return the constant `value` with the result type of `op`; None if that is not an integer type."""
    type = op.results[0].type
    return [integer(value, type)] if is_integer(type) else None


def is_integer(type: Attribute) -> bool:
    """Return whether `type` is an integer, an index, or a vector of these."""
    return isinstance(element_type(type), IntegerType | IndexType)


def element_type(type: Attribute) -> Attribute:
    """Return the element type of a vector; any other type is returned unchanged."""
    return type.element_type if kinds.is_vector(type) else type


def bits_of(type: Attribute) -> int:
    """Return the width of an integer type, or of a vector's integer element type; an index has 64 bits."""
    type = element_type(type)
    return type.bitwidth if kinds.is_integer(type) else INDEX_BITS


def wrap(value: int, bits: int) -> int:
    """Return `value` as an unsigned number of `bits` bits."""
    return value & ((1 << bits) - 1)


def signed(value: int, bits: int) -> int:
    """Return `value` as a signed number of `bits` bits."""
    value = wrap(value, bits)
    return value - (1 << bits) if value >= 1 << (bits - 1) else value


def is_made_by(value: SSAValue, kind: type[Operation]) -> bool:
    """Return whether an op of class `kind` defines `value`."""
    return isinstance(value.owner, kind)


def owner_of(value: SSAValue) -> Operation:
    """Return the op that defines `value`, which must not be a block argument."""
    assert isinstance(value.owner, Operation)
    return value.owner
