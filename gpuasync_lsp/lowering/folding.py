"""What ops fold to: the part of MLIR's folders that host code around gpu ops meets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.syntax.dialects import arith

AnyIntegerAttr = IntegerAttr[IntegerType | IndexType]
Folded = Sequence["SSAValue | arith.ConstantOp"]


def fold(op: Operation) -> Folded | None:
    """Return what the results of `op` are, values or constants still to be inserted, or None."""
    if isinstance(op, arith.SelectOp):
        return _fold_select(op)
    combine = _BINARY.get(type(op))
    if combine is not None:
        return _fold_binary(op, combine)
    if isinstance(op, (arith.IndexCastOp, arith.ExtSIOp)):
        value = constant_int(op.operands[0])
        return None if value is None else [_constant(value, op.results[0].type)]
    return None


def constant_int(value: SSAValue) -> int | None:
    """Return the integer that `value` is a constant of, or None."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    attribute = owner.value
    return cast(AnyIntegerAttr, attribute).value.data if isinstance(attribute, IntegerAttr) else None


def _fold_select(op: arith.SelectOp) -> Folded | None:
    condition, when_true, when_false = op.operands
    if when_true is when_false:
        return [when_true]
    known = constant_int(condition)
    return None if known is None else [when_true if known else when_false]


def _fold_binary(op: Operation, combine: Callable[[int, int], int]) -> Folded | None:
    lhs, rhs = op.operands
    a, b = constant_int(lhs), constant_int(rhs)
    if a is not None and b is not None:
        return [_constant(combine(a, b), op.results[0].type)]
    if isinstance(op, (arith.AddiOp, arith.SubiOp)) and b == 0:
        return [lhs]
    if isinstance(op, arith.AddiOp) and a == 0:
        return [rhs]
    if isinstance(op, arith.MuliOp):
        if b == 1:
            return [lhs]
        if a == 1:
            return [rhs]
        if b == 0:
            return [rhs]
        if a == 0:
            return [lhs]
    return None


def _constant(value: int, type: Attribute) -> arith.ConstantOp:
    """Make the constant `value`, wrapped to the width of its type."""
    number = cast(IntegerType | IndexType, type)
    if not isinstance(number, IndexType):
        bits = number.bitwidth
        value &= (1 << bits) - 1
        if bits > 1 and value >= 1 << (bits - 1):
            value -= 1 << bits
    return arith.ConstantOp(IntegerAttr(value, number))


_BINARY: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.XOrIOp: lambda a, b: a ^ b,
}
