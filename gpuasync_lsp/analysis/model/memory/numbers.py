"""Integer arithmetic of a kernel's threads, computed for all threads at once.

A column is one number for all threads, a list with one number for each, or None if unknown. Numbers are
signed and wrap at their width; an i1 is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import add, eq, ge, gt, le, lt, mod, mul, ne, sub

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

Column = int | list[int] | None
Binary = Callable[[int, int], int]


def _divided(one: int, other: int) -> int:
    quotient = abs(one) // abs(other)
    return quotient if (one < 0) == (other < 0) else -quotient


def _rest(one: int, other: int) -> int:
    return one - _divided(one, other) * other


def _divided_down(one: int, other: int) -> int:
    return one // other


def _divided_up(one: int, other: int) -> int:
    return -(-one // other)


_SIGNED: dict[str, Binary] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "and": lambda one, other: one & other,
    "or": lambda one, other: one | other,
    "xor": lambda one, other: one ^ other,
    "floordivs": _divided_down,
    "ceildivs": _divided_up,
    "divs": _divided,
    "rems": _rest,
    "mins": min,
    "maxs": max,
    "shrs": lambda one, by: one >> by,
    "eq": eq,
    "ne": ne,
    "slt": lt,
    "sle": le,
    "sgt": gt,
    "sge": ge,
}
_UNSIGNED: dict[str, Binary] = {
    "divu": _divided_down,
    "remu": mod,
    "ceildivu": _divided_up,
    "minu": min,
    "maxu": max,
    "shl": lambda one, by: one << by,
    "shru": lambda one, by: one >> by,
    "ult": lt,
    "ule": le,
    "ugt": gt,
    "uge": ge,
}
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""The predicates of arith.cmpi and llvm.icmp, in the order of their numbers."""
INTEGERS = {
    f"{dialect}.{name}": kind
    for dialect, names in {
        "arith": "addi=add subi=sub muli=mul andi=and ori=or xori=xor shli=shl shrui=shru shrsi=shrs "
        "divui=divu divsi=divs remui=remu remsi=rems floordivsi=floordivs ceildivsi=ceildivs "
        "ceildivui=ceildivu minui=minu minsi=mins maxui=maxu maxsi=maxs",
        "index": "add sub mul and or xor shl shru shrs divu divs remu rems floordivs ceildivs ceildivu "
        "minu mins maxu maxs",
        "llvm": "add sub mul and or xor shl lshr=shru ashr=shrs udiv=divu sdiv=divs urem=remu srem=rems "
        "intr.umin=minu intr.smin=mins intr.umax=maxu intr.smax=maxs",
    }.items()
    for name, kind in ((each.partition("=")[0], each.rpartition("=")[2]) for each in names.split())
}
"""Integer ops with two operands, each with its operation."""
_DIVIDING = frozenset({"floordivs", "ceildivs", "divs", "rems", "divu", "remu", "ceildivu"})
_SHIFTING = frozenset({"shl", "shru", "shrs"})


def computed(name: str, given: Sequence[Column], bits: int) -> Column:
    """Return the result of the operation `name` on two columns of `bits`-bit numbers.

    Returns None if it is unknown or undefined, for example after a division by zero or too large a shift.
    """
    one, other = given
    if one is None or other is None:
        return None
    if name in _UNSIGNED:
        one, other = unsigned(one, bits), unsigned(other, bits)
    if name in _DIVIDING and _any(other, lambda number: number == 0):
        return None
    if name in _SHIFTING and _any(other, lambda number: not 0 <= number < bits):
        return None
    found = _both(_UNSIGNED.get(name) or _SIGNED[name], one, other)
    if name in PREDICATES:
        return int(found) if isinstance(found, int) else list(map(int, found))
    return fitted(found, bits)


def _both(operation: Binary, one: int | list[int], other: int | list[int]) -> int | list[int]:
    if isinstance(one, int):
        if isinstance(other, int):
            return operation(one, other)
        return list(map(operation, repeat(one), other))
    return list(map(operation, one, repeat(other) if isinstance(other, int) else other))


def _any(column: int | list[int], test: Callable[[int], bool]) -> bool:
    return test(column) if isinstance(column, int) else any(map(test, column))


def _bounds(column: int | list[int]) -> tuple[int, int]:
    return (column, column) if isinstance(column, int) else (min(column), max(column))


def fitted(column: int | list[int], bits: int) -> int | list[int]:
    """Return the numbers wrapped to `bits` bits."""
    if bits == 1:
        return column & 1 if isinstance(column, int) else [number & 1 for number in column]
    low, high = _bounds(column)
    half = 1 << (bits - 1)
    if -half <= low and high < half:
        return column
    if isinstance(column, int):
        return ((column + half) & (2 * half - 1)) - half
    return [((number + half) & (2 * half - 1)) - half for number in column]


def unsigned(column: int | list[int], bits: int) -> int | list[int]:
    """Return the numbers interpreted as unsigned."""
    if _bounds(column)[0] >= 0:
        return column
    mask = (1 << bits) - 1
    return column & mask if isinstance(column, int) else [number & mask for number in column]


def converted(column: Column, bits: int, to: int, *, signed: bool) -> Column:
    """Return the `bits`-bit numbers extended or truncated to `to` bits."""
    if column is None:
        return None
    if bits == 1 and signed:
        column = -column if isinstance(column, int) else [-number for number in column]
    return fitted(column if signed else unsigned(column, bits), to)


def total(columns: Sequence[tuple[Column, int | None]], first: Column) -> Column:
    """Return `first` plus the product of each column and its factor; a column with factor 0 is ignored."""
    found = first
    for column, times in columns:
        if column == 0 or times == 0:
            continue
        if found is None or column is None or times is None:
            return None
        step = column * times if isinstance(column, int) else [number * times for number in column]
        found = _both(add, found, step)
    return found


_AFFINE: dict[AffineBinaryOpKind, Binary] = {
    AffineBinaryOpKind.Add: add,
    AffineBinaryOpKind.Mul: mul,
    AffineBinaryOpKind.Mod: mod,
    AffineBinaryOpKind.FloorDiv: _divided_down,
    AffineBinaryOpKind.CeilDiv: _divided_up,
}


def evaluated(expression: AffineExpr, given: Sequence[Column], dims: int) -> Column:
    """Return the value of an affine expression; the first `dims` of `given` are its dimensions."""
    match expression:
        case AffineConstantExpr():
            return expression.value
        case AffineDimExpr() | AffineSymExpr():
            at = expression.position + (dims if isinstance(expression, AffineSymExpr) else 0)
            return given[at] if at < len(given) else None
        case AffineBinaryOpExpr():
            one, other = (evaluated(side, given, dims) for side in (expression.lhs, expression.rhs))
            if one is None or other is None:
                return None
            is_sum = expression.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)
            if not is_sum and _any(other, lambda number: number <= 0):
                return None
            return _both(_AFFINE[expression.kind], one, other)
        case _:
            return None
