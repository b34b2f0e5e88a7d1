"""The folders of the arith dialect. Source: `fold` in mlir/lib/Dialect/Arith/IR/ArithOps.cpp."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import cast

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.folders.constants import (
    Folded,
    Folder,
    bits_of,
    constant_int,
    folded_integer,
    integer,
    is_made_by,
    owner_of,
    signed,
    wrap,
)
from gpuasync_lsp.syntax.dialects import arith


def put_constant_last(op: Operation) -> bool:
    """Move a constant first operand of a commutative op or comparison last; return whether it moved."""
    # Compare classes: `isinstance` is slow for op classes, which are abstract, and this runs for every op.
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
    """Merge two nested extensions or truncations of the same kind; return whether there were two."""
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
"""Maps each predicate of `arith.cmpi` to the predicate for swapped operands."""


# Integers


def _sum(op: Operation) -> Folded | None:
    left, right = op.operands
    if constant_int(right) == 0:
        return [left]
    if is_made_by(left, arith.SubiOp) and owner_of(left).operands[1] is right:
        return [owner_of(left).operands[0]]
    if is_made_by(right, arith.SubiOp) and owner_of(right).operands[1] is left:
        return [owner_of(right).operands[0]]
    return None


def _difference(op: Operation) -> Folded | None:
    left, right = op.operands
    if left is right:
        return folded_integer(0, op)
    if constant_int(right) == 0:
        return [left]
    if is_made_by(left, arith.AddiOp):
        a, b = owner_of(left).operands
        if b is right:
            return [a]
        if a is right:
            return [b]
    return None


def _product(op: Operation) -> Folded | None:
    left, right = op.operands
    return [right] if constant_int(right) == 0 else [left] if _is_one(right) else None


def _quotient(flag: str) -> Folder:
    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        if is_made_by(left, arith.MuliOp):
            overflow = owner_of(left).get_attr_or_prop("overflowFlags")
            if isinstance(overflow, arith.IntegerOverflowFlagsAttr) and flag in overflow.data:
                a, b = owner_of(left).operands
                return [b] if a is right else [a] if b is right else None
        return None

    return folder


def _by_one(op: Operation) -> Folded | None:
    return [op.operands[0]] if _is_one(op.operands[1]) else None


def _remainder(op: Operation) -> Folded | None:
    return folded_integer(0, op) if _is_one(op.operands[1]) else None


def _and(op: Operation) -> Folded | None:
    left, right = op.operands
    if (left is right and constant_int(right) is None) or _all_ones(right):
        return [left]
    if constant_int(right) == 0:
        return [right]
    if _is_not(left, right) or _is_not(right, left):
        return folded_integer(0, op)
    for a, b in ((left, right), (right, left)):
        if is_made_by(a, arith.AndIOp) and b in owner_of(a).operands:
            return [a]
    return None


def _or(op: Operation) -> Folded | None:
    left, right = op.operands
    if (left is right and constant_int(right) is None) or constant_int(right) == 0:
        return [left]
    if _all_ones(right):
        return [right]
    if _is_not(left, right) or _is_not(right, left):
        return folded_integer(-1, op)
    return None


def _xor(op: Operation) -> Folded | None:
    left, right = op.operands
    if constant_int(right) == 0:
        return [left]
    if left is right:
        return folded_integer(0, op)
    if is_made_by(left, arith.XOrIOp):
        a, b = owner_of(left).operands
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
        bits = bits_of(right.type)
        if wrap(known - absorbing(bits), bits) == 0:
            return [right]
        return [left] if wrap(known - neutral(bits), bits) == 0 else None

    return folder


def _extended_sum(op: Operation) -> Folded | None:
    left, right = op.operands
    a, b = constant_int(left), constant_int(right)
    if b == 0:
        return [left, integer(0, op.results[1].type)]
    if a is None or b is None:
        return None
    bits = bits_of(left.type)
    whole = wrap(a, bits) + wrap(b, bits)
    return [integer(whole, left.type), integer(whole >> bits, op.results[1].type)]


def _extended_product(is_signed: bool) -> Folder:
    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        a, b = constant_int(left), constant_int(right)
        if b == 0:
            return [right, right]
        bits = bits_of(left.type)
        if not is_signed and b == 1:
            return [left, integer(0, left.type)]
        if a is None or b is None:
            return None
        read = signed if is_signed else wrap
        whole = read(a, bits) * read(b, bits)
        return [integer(whole, left.type), integer(whole >> bits, left.type)]

    return folder


# Comparisons and selects


def _compare(comparison: arith.ComparisonOp) -> Folded | None:
    predicate = comparison.predicate.value.data
    left, right = comparison.operands
    type = comparison.results[0].type
    if left is right:
        return [integer(int(predicate in (0, 3, 5, 7, 9)), type)]
    b = constant_int(right)
    if b == 0 and predicate == _NE and isinstance(left.owner, arith.ExtSIOp | arith.ExtUIOp):
        source = left.owner.operands[0]
        if source.type == type:
            return [source]
    a = constant_int(left)
    if a is None or b is None:
        return None
    bits = bits_of(left.type)
    read = wrap if predicate >= _FIRST_UNSIGNED else signed
    return [integer(int(_COMPARE[predicate](read(a, bits), read(b, bits))), type)]


def _compare_bits(op: Operation) -> Folded | None:
    """Fold `x == true` and `x != false` to x, an i1."""
    predicate = cast(arith.ComparisonOp, op).predicate.value.data
    left, right = op.operands
    known = constant_int(right)
    if known is None or left.type != op.results[0].type or left is right:
        return None
    return [left] if (known & 1, predicate) in ((0, _NE), (1, 0)) else None


_NE, _FIRST_UNSIGNED = 1, 6
_COMPARE: tuple[Callable[[int, int], bool], ...] = (
    operator.eq,
    operator.ne,
    *(operator.lt, operator.le, operator.gt, operator.ge),
    *(operator.lt, operator.le, operator.gt, operator.ge),
)
"""Maps each predicate of `arith.cmpi` to a Python comparison."""


def _select(op: Operation) -> Folded | None:
    condition, if_true, if_false = op.operands
    if if_true is if_false:
        return [if_true]
    known = constant_int(condition)
    if known is not None:
        return [if_true if known else if_false]
    if if_true.type == condition.type and constant_int(if_false) == 0 and constant_int(if_true):
        return [condition]
    if is_made_by(condition, arith.CmpiOp):
        comparison = cast(arith.ComparisonOp, condition.owner)
        predicate = comparison.predicate.value.data
        if predicate in (0, _NE) and {*comparison.operands} == {if_true, if_false}:
            return [if_true if predicate == _NE else if_false]
    return None


# Casts


def _extend_signed(op: Operation) -> Folded | None:
    value = constant_int(op.operands[0])
    return None if value is None else folded_integer(signed(value, bits_of(op.operands[0].type)), op)


def _extend_unsigned(op: Operation) -> Folded | None:
    value = constant_int(op.operands[0])
    return None if value is None else folded_integer(wrap(value, bits_of(op.operands[0].type)), op)


def _truncate(op: Operation) -> Folded | None:
    (source,) = op.operands
    if is_made_by(source, arith.ExtSIOp) or is_made_by(source, arith.ExtUIOp):
        inner = owner_of(source).operands[0]
        if inner.type == op.results[0].type:
            return [inner]
    value = constant_int(source)
    return None if value is None else folded_integer(value, op)


def _there_and_back(op: Operation) -> Folded | None:
    """Fold a cast to the same type, and a cast that undoes another one."""
    (source,) = op.operands
    if source.type == op.results[0].type:
        return [source]
    if isinstance(source.owner, type(op)):
        inner = owner_of(source).operands[0]
        if inner.type == op.results[0].type:
            return [inner]
    return None


def _index_cast(op: Operation) -> Folded | None:
    value = constant_int(op.operands[0])
    return None if value is None else folded_integer(value, op)


def _index_cast_back(op: Operation) -> Folded | None:
    """Fold a cast that undoes an earlier cast to a type with at least as many bits (64 for an index)."""
    between = op.operands[0].type
    return _there_and_back(op) if bits_of(op.results[0].type) <= bits_of(between) else None


# Combination of folders


def _with_integers(combine: Callable[[int, int, int], int | None], *folders: Folder) -> Folder:
    """Return a folder that tries `folders`, then applies `combine` to two constant operands."""

    def folder(op: Operation) -> Folded | None:
        for each in folders:
            found = each(op)
            if found is not None:
                return found
        a, b = (constant_int(operand) for operand in op.operands)
        if a is None or b is None:
            return None
        result = combine(a, b, bits_of(op.results[0].type))
        return None if result is None else folded_integer(result, op)

    return folder


def _divide_signed(a: int, b: int, bits: int) -> int | None:
    a, b = signed(a, bits), signed(b, bits)
    if b == 0 or (b == -1 and a == -(1 << (bits - 1))):
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _divide_unsigned(a: int, b: int, bits: int) -> int | None:
    return wrap(a, bits) // wrap(b, bits) if wrap(b, bits) else None


def _rest_signed(a: int, b: int, bits: int) -> int | None:
    quotient = _divide_signed(a, b, bits)
    return None if quotient is None else signed(a, bits) - quotient * signed(b, bits)


def _rest_unsigned(a: int, b: int, bits: int) -> int | None:
    return wrap(a, bits) % wrap(b, bits) if wrap(b, bits) else None


def _ceil_signed(a: int, b: int, bits: int) -> int | None:
    a, b = signed(a, bits), signed(b, bits)
    return -(-a // b) if b and _divide_signed(a, b, bits) is not None else None


def _floor_signed(a: int, b: int, bits: int) -> int | None:
    a, b = signed(a, bits), signed(b, bits)
    return a // b if b and _divide_signed(a, b, bits) is not None else None


def _ceil_unsigned(a: int, b: int, bits: int) -> int | None:
    a, b = wrap(a, bits), wrap(b, bits)
    return -(-a // b) if b else None


def _shifted(shift: Callable[[int, int, int], int]) -> Callable[[int, int, int], int | None]:
    return lambda a, b, bits: shift(a, b, bits) if 0 <= b < bits else None


def _choose(
    pick: Callable[[int, int], int], read: Callable[[int, int], int]
) -> Callable[[int, int, int], int]:
    return lambda a, b, bits: pick(read(a, bits), read(b, bits))


def _is_one(value: SSAValue) -> bool:
    """Return whether `value` is the constant 1 or true."""
    known = constant_int(value)
    return known is not None and wrap(known, bits_of(value.type)) == 1


def _all_ones(value: SSAValue) -> bool:
    known = constant_int(value)
    return known is not None and signed(known, bits_of(value.type)) == -1


def _is_not(value: SSAValue, other: SSAValue) -> bool:
    """Return whether `value` is the bitwise complement of `other`."""
    return (
        is_made_by(value, arith.XOrIOp)
        and owner_of(value).operands[0] is other
        and _all_ones(owner_of(value).operands[1])
    )


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
    arith.ShRSIOp: _with_integers(_shifted(lambda a, b, bits: signed(a, bits) >> b), _shift),
    arith.ShRUIOp: _with_integers(_shifted(lambda a, b, bits: wrap(a, bits) >> b), _shift),
    arith.MaxSIOp: _with_integers(
        _choose(max, signed), _extremum(lambda n: (1 << (n - 1)) - 1, lambda n: -(1 << (n - 1)))
    ),
    arith.MinSIOp: _with_integers(
        _choose(min, signed), _extremum(lambda n: -(1 << (n - 1)), lambda n: (1 << (n - 1)) - 1)
    ),
    arith.MaxUIOp: _with_integers(_choose(max, wrap), _extremum(lambda _: -1, lambda _: 0)),
    arith.MinUIOp: _with_integers(_choose(min, wrap), _extremum(lambda _: 0, lambda _: -1)),
    arith.AddUIExtendedOp: _extended_sum,
    arith.MulSIExtendedOp: _extended_product(is_signed=True),
    arith.MulUIExtendedOp: _extended_product(is_signed=False),
    arith.CmpiOp: _compare,
    arith.SelectOp: _select,
    arith.ExtSIOp: _extend_signed,
    arith.ExtUIOp: _extend_unsigned,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: _index_cast,
    arith.IndexCastUIOp: _extend_unsigned,
}
"""Maps each op class to its folder."""

OF_PRODUCTS: dict[type[Operation], Folder] = {
    arith.DivSIOp: _quotient("nsw"),
    arith.DivUIOp: _quotient("nuw"),
}
"""Maps op classes to folders that precede `FOLDERS` in releases with `divisions_undo_products`."""

OF_BITS: dict[type[Operation], Folder] = {
    arith.CmpiOp: _compare_bits,
}
"""Maps op classes to folders that precede `FOLDERS` in releases with `comparisons_of_bits_fold`."""

OF_INDEX_CASTS: dict[type[Operation], Folder] = {
    arith.IndexCastOp: _index_cast_back,
    arith.IndexCastUIOp: _index_cast_back,
}
"""Maps op classes to folders that precede `FOLDERS` in releases with `index_casts_fold` (LLVM 23)."""
