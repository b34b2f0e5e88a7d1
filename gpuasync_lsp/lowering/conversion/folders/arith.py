"""The folders of the arith dialect. Source: `fold` in mlir/lib/Dialect/Arith/IR/ArithOps.cpp."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.syntax.dialects import arith

Folded = Sequence["SSAValue | arith.ConstantOp"]
Folder = Callable[[Operation], "Folded | None"]

INDEX_BITS = 64


def constant_int(value: SSAValue) -> int | None:
    """Return the integer that `value`, or each element of the vector `value`, is a constant of, or None."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    constant: Any = owner.value
    if isinstance(constant, DenseIntOrFPElementsAttr) and _is_integer(value.type):
        numbers = set(cast("Sequence[int]", constant.get_values())) if constant.is_splat() else set[int]()
        return numbers.pop() if len(numbers) == 1 else None
    return constant.value.data if isinstance(constant, IntegerAttr) else None


def constant_float(value: SSAValue) -> float | None:
    """Return the float that `value` is a constant of, or None."""
    owner = value.owner
    constant: Any = owner.value if isinstance(owner, arith.ConstantOp) else None
    return constant.value.data if isinstance(constant, FloatAttr) else None


def integer(value: int, type: Attribute) -> arith.ConstantOp:
    """Make the constant `value`, wrapped to the width of its type, signed except for i1."""
    bits = _bits(type)
    value &= (1 << bits) - 1
    if bits > 1 and value >= 1 << (bits - 1):
        value -= 1 << bits
    if isinstance(type, VectorType):
        return arith.ConstantOp(splat(cast(Attribute, type), value))
    return arith.ConstantOp(IntegerAttr(value, cast(IntegerType | IndexType, type)))


def put_constant_last(op: Operation) -> bool:
    """Swap the operands of a commutative op or a comparison whose first one only is a constant; tell so."""
    # Classes, not `isinstance`: op classes are abstract ones, and every op is asked.
    if type(op) not in _WITH_CONSTANT_LAST:
        return False
    left, right = op.operands[0], op.operands[1]
    if not isinstance(left.owner, arith.ConstantOp) or isinstance(right.owner, arith.ConstantOp):
        return False
    if isinstance(op, arith.CmpiOp):
        swapped = _SWAPPED[op.predicate.value.data]
        op.properties["predicate"] = IntegerAttr(swapped, 64)
    op.operands[0], op.operands[1] = right, left
    return True


def skip_inner_cast(op: Operation) -> bool:
    """Let an extension or truncation of what the same op made start from its operand; tell so."""
    if not isinstance(op, arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp):
        return False
    inner = op.operands[0].owner
    if not isinstance(inner, Operation) or type(inner) is not type(op):
        return False
    op.operands[0] = inner.operands[0]
    return True


_WITH_CONSTANT_LAST = frozenset[type[Operation]](
    {
        arith.CmpiOp,
        arith.AddiOp,
        arith.MuliOp,
        arith.AndIOp,
        arith.OrIOp,
        arith.XOrIOp,
        arith.MaxSIOp,
        arith.MaxUIOp,
        arith.MinSIOp,
        arith.MinUIOp,
        arith.AddfOp,
        arith.MulfOp,
        arith.MaximumfOp,
        arith.MinimumfOp,
        arith.MaxnumfOp,
        arith.MinnumfOp,
        arith.AddUIExtendedOp,
        arith.MulSIExtendedOp,
        arith.MulUIExtendedOp,
    }
)
_SWAPPED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
"""By predicate of `arith.cmpi`: the one for swapped operands."""


# Integers


def _sum(op: Operation) -> Folded | None:
    left, right = op.operands
    if constant_int(right) == 0:
        return [left]
    if _is(left, arith.SubiOp) and _owner(left).operands[1] is right:
        return [_owner(left).operands[0]]
    if _is(right, arith.SubiOp) and _owner(right).operands[1] is left:
        return [_owner(right).operands[0]]
    return None


def _difference(op: Operation) -> Folded | None:
    left, right = op.operands
    if left is right:
        return _of(0, op)
    if constant_int(right) == 0:
        return [left]
    if _is(left, arith.AddiOp):
        a, b = _owner(left).operands
        if b is right:
            return [a]
        if a is right:
            return [b]
    return None


def _product(op: Operation) -> Folded | None:
    left, right = op.operands
    known = constant_int(right)
    return [right] if known == 0 else [left] if known == 1 else None


def _quotient(flag: str) -> Folder:
    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        if _is(left, arith.MuliOp):
            overflow = _owner(left).get_attr_or_prop("overflowFlags")
            if isinstance(overflow, arith.IntegerOverflowFlagsAttr) and flag in overflow.data:
                a, b = _owner(left).operands
                return [b] if a is right else [a] if b is right else None
        return None

    return folder


def _by_one(op: Operation) -> Folded | None:
    return [op.operands[0]] if constant_int(op.operands[1]) == 1 else None


def _remainder(op: Operation) -> Folded | None:
    return _of(0, op) if constant_int(op.operands[1]) == 1 else None


def _and(op: Operation) -> Folded | None:
    left, right = op.operands
    if left is right or _all_ones(right):
        return [left]
    if constant_int(right) == 0:
        return [right]
    if _is_not(left, right) or _is_not(right, left):
        return _of(0, op)
    for a, b in ((left, right), (right, left)):
        if _is(a, arith.AndIOp) and b in _owner(a).operands:
            return [a]
    return None


def _or(op: Operation) -> Folded | None:
    left, right = op.operands
    if left is right or constant_int(right) == 0:
        return [left]
    if _all_ones(right):
        return [right]
    if _is_not(left, right) or _is_not(right, left):
        return _of(-1, op)
    return None


def _xor(op: Operation) -> Folded | None:
    left, right = op.operands
    if constant_int(right) == 0:
        return [left]
    if left is right:
        return _of(0, op)
    if _is(left, arith.XOrIOp):
        a, b = _owner(left).operands
        return [a] if b is right else [b] if a is right else None
    return None


def _shift(op: Operation) -> Folded | None:
    return [op.operands[0]] if constant_int(op.operands[1]) == 0 else None


def _extremum(absorbing: Callable[[int], int], neutral: Callable[[int], int]) -> Folder:
    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        if left is right:
            return [right]
        known = constant_int(right)
        if known is None:
            return None
        bits = _bits(right.type)
        if _wrap(known - absorbing(bits), bits) == 0:
            return [right]
        return [left] if _wrap(known - neutral(bits), bits) == 0 else None

    return folder


def _extended_sum(op: Operation) -> Folded | None:
    left, right = op.operands
    a, b = constant_int(left), constant_int(right)
    if b == 0:
        return [left, integer(0, op.results[1].type)]
    if a is None or b is None:
        return None
    bits = _bits(left.type)
    whole = _wrap(a, bits) + _wrap(b, bits)
    return [integer(whole, left.type), integer(whole >> bits, op.results[1].type)]


def _extended_product(signed: bool) -> Folder:
    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        a, b = constant_int(left), constant_int(right)
        if b == 0:
            return [right, right]
        bits = _bits(left.type)
        if not signed and b == 1:
            return [left, integer(0, left.type)]
        if a is None or b is None:
            return None
        read = _signed if signed else _wrap
        whole = read(a, bits) * read(b, bits)
        return [integer(whole, left.type), integer(whole >> bits, left.type)]

    return folder


# Comparisons and choices


def _compare(op: Operation) -> Folded | None:
    comparison = cast(arith.CmpiOp, op)
    predicate = comparison.predicate.value.data
    left, right = op.operands
    type = op.results[0].type
    if left is right:
        return [integer(int(predicate in (0, 3, 5, 7, 9)), type)]
    b = constant_int(right)
    if b == 0 and predicate == _NE:
        if _is(left, arith.ExtSIOp) or _is(left, arith.ExtUIOp):
            source = _owner(left).operands[0]
            if source.type == type:
                return [source]
        if left.type == type:
            return [left]
    if b is not None and left.type == type and b & 1 and predicate == 0:
        return [left]
    a = constant_int(left)
    if a is None or b is None:
        return None
    bits = _bits(left.type)
    read = _wrap if predicate >= _FIRST_UNSIGNED else _signed
    return [integer(int(_COMPARE[predicate](read(a, bits), read(b, bits))), type)]


_NE, _FIRST_UNSIGNED = 1, 6
_COMPARE: tuple[Callable[[int, int], bool], ...] = (
    operator.eq,
    operator.ne,
    *(operator.lt, operator.le, operator.gt, operator.ge),
    *(operator.lt, operator.le, operator.gt, operator.ge),
)
"""By predicate of `arith.cmpi`."""


def _compare_floats(op: Operation) -> Folded | None:
    left, right = op.operands
    a, b = constant_float(left), constant_float(right)
    predicate = cast(arith.CmpfOp, op).predicate.value.data
    if op.results[0].type != i1 or a is None or b is None:
        return None
    unordered = math.isnan(a) or math.isnan(b)
    # 1 equal, 2 greater, 4 less, 8 unordered.
    bits = predicate if predicate <= _ORDERED else {_UNORDERED: 8, _TRUE: 15}.get(predicate, predicate + 1)
    holds = bits & 8 if unordered else bits & (1 if a == b else 2 if a > b else 4)
    return [integer(int(bool(holds)), i1)]


_ORDERED, _UNORDERED, _TRUE = 7, 14, 15
"""Predicates of `arith.cmpf`."""


def _select(op: Operation) -> Folded | None:
    condition, if_true, if_false = op.operands
    if if_true is if_false:
        return [if_true]
    known = constant_int(condition)
    if known is not None:
        return [if_true if known else if_false]
    if if_true.type == condition.type and constant_int(if_false) == 0 and constant_int(if_true):
        return [condition]
    if _is(condition, arith.CmpiOp):
        comparison = cast(arith.CmpiOp, condition.owner)
        predicate = comparison.predicate.value.data
        if predicate in (0, _NE) and {*comparison.operands} == {if_true, if_false}:
            return [if_true if predicate == _NE else if_false]
    return None


# Casts


def _extend_signed(op: Operation) -> Folded | None:
    value = constant_int(op.operands[0])
    return None if value is None else _of(_signed(value, _bits(op.operands[0].type)), op)


def _extend_unsigned(op: Operation) -> Folded | None:
    value = constant_int(op.operands[0])
    return None if value is None else _of(_wrap(value, _bits(op.operands[0].type)), op)


def _truncate(op: Operation) -> Folded | None:
    (source,) = op.operands
    if _is(source, arith.ExtSIOp) or _is(source, arith.ExtUIOp):
        inner = _owner(source).operands[0]
        if inner.type == op.results[0].type:
            return [inner]
    value = constant_int(source)
    return None if value is None else _of(value, op)


def _there_and_back(op: Operation) -> Folded | None:
    """Casts of which two in a row to the first type are none."""
    (source,) = op.operands
    if source.type == op.results[0].type:
        return [source]
    if isinstance(source.owner, type(op)):
        inner = _owner(source).operands[0]
        if inner.type == op.results[0].type:
            return [inner]
    return None


def _index_cast(op: Operation) -> Folded | None:
    value = constant_int(op.operands[0])
    return None if value is None else _of(value, op)


def _index_cast_back(op: Operation) -> Folded | None:
    """Two casts where the first loses nothing: the type between has as many bits, 64 for an index."""
    between = op.operands[0].type
    return _there_and_back(op) if _bits(op.results[0].type) <= _bits(between) else None


def _truncate_extended(op: Operation) -> Folded | None:
    (source,) = op.operands
    if _is(source, arith.ExtFOp):
        inner = _owner(source).operands[0]
        if inner.type == op.results[0].type:
            return [inner]
    return None


def _truncate_float(op: Operation) -> Folded | None:
    value = constant_float(op.operands[0])
    if value is None or _rounded(value, op.results[0].type) != value:
        return None
    return _float(value, op)


def _extend_float(op: Operation) -> Folded | None:
    value = constant_float(op.operands[0])
    return None if value is None else _float(value, op)


def _to_float(read: Callable[[int, int], int]) -> Folder:
    def folder(op: Operation) -> Folded | None:
        value = constant_int(op.operands[0])
        return None if value is None else _float(float(read(value, _bits(op.operands[0].type))), op)

    return folder


def _from_float(signed: bool) -> Folder:
    def folder(op: Operation) -> Folded | None:
        value = constant_float(op.operands[0])
        if value is None or not math.isfinite(value):
            return None
        bits = _bits(op.results[0].type)
        low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed else (0, 1 << bits)
        return _of(int(value), op) if low <= int(value) < high else None

    return folder


# Floats


def _neutral(neutral: float) -> Folder:
    """Fold an op that leaves its left operand if the right one is `neutral`, the sign of zero included."""

    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        known = constant_float(right)
        if known is not None and known == neutral and math.copysign(1, known) == math.copysign(1, neutral):
            return [left]
        return None

    return folder


def _extremum_of_floats(neutral: float) -> Folder:
    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        if left is right:
            return [right]
        known = constant_float(right)
        if known is None:
            return None
        return [left] if known == neutral or (math.isnan(known) and math.isnan(neutral)) else None

    return folder


def _negate(op: Operation) -> Folded | None:
    (source,) = op.operands
    if _is(source, arith.NegfOp):
        return [_owner(source).operands[0]]
    value = constant_float(source)
    return None if value is None else _float(-value, op)


# Putting folders together


def _with_integers(combine: Callable[[int, int, int], int | None], *folders: Folder) -> Folder:
    """Return a folder that tries `folders`, then combines two constants of a width."""

    def folder(op: Operation) -> Folded | None:
        for each in folders:
            found = each(op)
            if found is not None:
                return found
        a, b = (constant_int(operand) for operand in op.operands)
        if a is None or b is None:
            return None
        result = combine(a, b, _bits(op.results[0].type))
        return None if result is None else _of(result, op)

    return folder


def _with_floats(combine: Callable[[float, float], float], *folders: Folder) -> Folder:
    def folder(op: Operation) -> Folded | None:
        for each in folders:
            found = each(op)
            if found is not None:
                return found
        a, b = (constant_float(operand) for operand in op.operands)
        if a is None or b is None or not (math.isfinite(a) and math.isfinite(b)):
            return None
        try:
            return _float(combine(a, b), op)
        except (OverflowError, ZeroDivisionError):
            return None

    return folder


def _divide_signed(a: int, b: int, bits: int) -> int | None:
    a, b = _signed(a, bits), _signed(b, bits)
    if b == 0 or (b == -1 and a == -(1 << (bits - 1))):
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _divide_unsigned(a: int, b: int, bits: int) -> int | None:
    return _wrap(a, bits) // _wrap(b, bits) if _wrap(b, bits) else None


def _rest_signed(a: int, b: int, bits: int) -> int | None:
    quotient = _divide_signed(a, b, bits)
    return None if quotient is None else _signed(a, bits) - quotient * _signed(b, bits)


def _rest_unsigned(a: int, b: int, bits: int) -> int | None:
    return _wrap(a, bits) % _wrap(b, bits) if _wrap(b, bits) else None


def _ceil_signed(a: int, b: int, bits: int) -> int | None:
    a, b = _signed(a, bits), _signed(b, bits)
    return -(-a // b) if b and _divide_signed(a, b, bits) is not None else None


def _floor_signed(a: int, b: int, bits: int) -> int | None:
    a, b = _signed(a, bits), _signed(b, bits)
    return a // b if b and _divide_signed(a, b, bits) is not None else None


def _ceil_unsigned(a: int, b: int, bits: int) -> int | None:
    a, b = _wrap(a, bits), _wrap(b, bits)
    return -(-a // b) if b else None


def _shifted(shift: Callable[[int, int, int], int]) -> Callable[[int, int, int], int | None]:
    return lambda a, b, bits: shift(a, b, bits) if 0 <= b < bits else None


def _choose(
    pick: Callable[[int, int], int], read: Callable[[int, int], int]
) -> Callable[[int, int, int], int]:
    return lambda a, b, bits: pick(read(a, bits), read(b, bits))


def _of(value: int, op: Operation) -> Folded | None:
    type = op.results[0].type
    return [integer(value, type)] if _is_integer(type) else None


def _float(value: float, op: Operation) -> Folded | None:
    type = op.results[0].type
    rounded = _rounded(value, type)
    return None if rounded is None else [arith.ConstantOp(FloatAttr(rounded, cast(Any, type)))]


def _rounded(value: float, type: Attribute) -> float | None:
    """Round to the precision of `type`; None for a type that Python cannot pack."""
    code = "e" if isinstance(type, Float16Type) else "f" if isinstance(type, Float32Type) else ""
    if isinstance(type, Float64Type):
        return value
    return struct.unpack(code, struct.pack(code, value))[0] if code else None


def _is_integer(type: Attribute) -> bool:
    """Tell whether `type` is an integer, an index, or a vector of these."""
    return isinstance(_element(type), IntegerType | IndexType)


def _element(type: Attribute) -> Attribute:
    return cast(VectorType[Attribute], type).element_type if isinstance(type, VectorType) else type


def _bits(type: Attribute) -> int:
    type = _element(type)
    return cast(IntegerType, type).bitwidth if isinstance(type, IntegerType) else INDEX_BITS


def _wrap(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def _signed(value: int, bits: int) -> int:
    value = _wrap(value, bits)
    return value - (1 << bits) if value >= 1 << (bits - 1) else value


def _all_ones(value: SSAValue) -> bool:
    known = constant_int(value)
    return known is not None and _signed(known, _bits(value.type)) == -1


def _is_not(value: SSAValue, other: SSAValue) -> bool:
    """Tell whether `value` is `other` with all bits flipped."""
    return (
        _is(value, arith.XOrIOp)
        and _owner(value).operands[0] is other
        and _all_ones(_owner(value).operands[1])
    )


def _is(value: SSAValue, kind: type[Operation]) -> bool:
    return isinstance(value.owner, kind)


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


FOLDERS: dict[type[Operation], Folder] = {
    arith.AddiOp: _with_integers(lambda a, b, _: a + b, _sum),
    arith.SubiOp: _with_integers(lambda a, b, _: a - b, _difference),
    arith.MuliOp: _with_integers(lambda a, b, _: a * b, _product),
    arith.DivSIOp: _with_integers(_divide_signed, _by_one),
    arith.DivUIOp: _with_integers(_divide_unsigned, _by_one),
    arith.CeilDivSIOp: _with_integers(_ceil_signed, _by_one),
    arith.CeilDivUIOp: _with_integers(_ceil_unsigned, _by_one),
    arith.FloorDivSIOp: _with_integers(_floor_signed, _by_one),
    arith.RemSIOp: _with_integers(_rest_signed, _remainder),
    arith.RemUIOp: _with_integers(_rest_unsigned, _remainder),
    arith.AndIOp: _with_integers(lambda a, b, _: a & b, _and),
    arith.OrIOp: _with_integers(lambda a, b, _: a | b, _or),
    arith.XOrIOp: _with_integers(lambda a, b, _: a ^ b, _xor),
    arith.ShLIOp: _with_integers(_shifted(lambda a, b, _: a << b), _shift),
    arith.ShRSIOp: _with_integers(_shifted(lambda a, b, bits: _signed(a, bits) >> b), _shift),
    arith.ShRUIOp: _with_integers(_shifted(lambda a, b, bits: _wrap(a, bits) >> b), _shift),
    arith.MaxSIOp: _with_integers(
        _choose(max, _signed), _extremum(lambda n: (1 << (n - 1)) - 1, lambda n: -(1 << (n - 1)))
    ),
    arith.MinSIOp: _with_integers(
        _choose(min, _signed), _extremum(lambda n: -(1 << (n - 1)), lambda n: (1 << (n - 1)) - 1)
    ),
    arith.MaxUIOp: _with_integers(_choose(max, _wrap), _extremum(lambda _: -1, lambda _: 0)),
    arith.MinUIOp: _with_integers(_choose(min, _wrap), _extremum(lambda _: 0, lambda _: -1)),
    arith.AddUIExtendedOp: _extended_sum,
    arith.MulSIExtendedOp: _extended_product(signed=True),
    arith.MulUIExtendedOp: _extended_product(signed=False),
    arith.CmpiOp: _compare,
    arith.CmpfOp: _compare_floats,
    arith.SelectOp: _select,
    arith.ExtSIOp: _extend_signed,
    arith.ExtUIOp: _extend_unsigned,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: _index_cast,
    arith.IndexCastUIOp: _extend_unsigned,
    arith.BitcastOp: _there_and_back,
    arith.ExtFOp: _extend_float,
    arith.TruncFOp: _truncate_float,
    arith.SIToFPOp: _to_float(_signed),
    arith.UIToFPOp: _to_float(_wrap),
    arith.FPToSIOp: _from_float(signed=True),
    arith.FPToUIOp: _from_float(signed=False),
    arith.NegfOp: _negate,
    arith.AddfOp: _with_floats(lambda a, b: a + b, _neutral(-0.0)),
    arith.SubfOp: _with_floats(lambda a, b: a - b, _neutral(0.0)),
    arith.MulfOp: _with_floats(lambda a, b: a * b, _neutral(1.0)),
    arith.DivfOp: _with_floats(lambda a, b: a / b, _neutral(1.0)),
    arith.RemfOp: _with_floats(math.fmod),
    arith.MaximumfOp: _with_floats(max, _extremum_of_floats(-math.inf)),
    arith.MinimumfOp: _with_floats(min, _extremum_of_floats(math.inf)),
    arith.MaxnumfOp: _with_floats(max, _extremum_of_floats(math.nan)),
    arith.MinnumfOp: _with_floats(min, _extremum_of_floats(math.nan)),
}
"""By op class."""

OF_PRODUCTS: dict[type[Operation], Folder] = {
    arith.DivSIOp: _quotient("nsw"),
    arith.DivUIOp: _quotient("nuw"),
}
"""Those that only releases with `divisions_undo_products` have; they come first."""

OF_EXTENDED_FLOATS: dict[type[Operation], Folder] = {
    arith.TruncFOp: _truncate_extended,
}
"""The same for `truncations_undo_extensions`."""

OF_INDEX_CASTS: dict[type[Operation], Folder] = {
    arith.IndexCastOp: _index_cast_back,
    arith.IndexCastUIOp: _index_cast_back,
}
"""Since LLVM 23: `index_casts_fold`."""
