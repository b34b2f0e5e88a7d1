"""The folders of the arith dialect for floats: IEEE arithmetic on constants, and casts.

Source: `fold` in mlir/lib/Dialect/Arith/IR/ArithOps.cpp. As in APFloat, an op with NaN operands returns the
first of them, and a NaN computed from other operands is positive. Measured with special values in LLVM 18 to
24.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    i1,
)
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.conversion.folders.constants import (
    Folded,
    Folder,
    bits_of,
    constant_float,
    constant_int,
    element_type,
    folded_integer,
    integer,
    is_made_by,
    owner_of,
    signed,
    wrap,
)
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import is_vector, number_attr

Operator = Callable[[float, float], float]

_CODES: dict[type[Attribute], tuple[str, str]] = {
    Float16Type: ("<e", "<H"),
    Float32Type: ("<f", "<I"),
    Float64Type: ("<d", "<Q"),
}
"""Maps a float type to the `struct` formats of the type and of an integer of the same width."""


# Comparisons


def _compare(op: Operation) -> Folded | None:
    left, right = op.operands
    a, b = constant_float(left), constant_float(right)
    predicate = cast(arith.ComparisonOp, op).predicate.value.data
    if op.results[0].type != i1 or a is None or b is None:
        return None
    unordered = math.isnan(a) or math.isnan(b)
    # Bits of a predicate: 1 equal, 2 greater, 4 less, 8 unordered.
    bits = predicate if predicate <= _ORDERED else {_UNORDERED: 8, _TRUE: 15}.get(predicate, predicate + 1)
    holds = bits & 8 if unordered else bits & (1 if a == b else 2 if a > b else 4)
    return [integer(int(bool(holds)), i1)]


_ORDERED, _UNORDERED, _TRUE = 7, 14, 15
"""Values of `arith.cmpf`'s predicate: `ord`, `uno`, and `true`."""


# Casts


def _truncate_extended(op: Operation) -> Folded | None:
    (source,) = op.operands
    if is_made_by(source, arith.ExtFOp):
        inner = owner_of(source).operands[0]
        if inner.type == op.results[0].type:
            return [inner]
    return _truncate(op)


def _truncate(op: Operation) -> Folded | None:
    value = constant_float(op.operands[0])
    rounded = None if value is None else _rounded(value, op.results[0].type)
    # Compare bits, because a NaN may have payload bits that would be lost.
    if rounded is None or struct.pack("<d", rounded) != struct.pack("<d", value):
        return None
    return _float(rounded, op)


def _extend(op: Operation) -> Folded | None:
    value = constant_float(op.operands[0])
    return None if value is None else _float(value, op)


def _to_float(read: Callable[[int, int], int]) -> Folder:
    def folder(op: Operation) -> Folded | None:
        value = constant_int(op.operands[0])
        return None if value is None else _float(float(read(value, bits_of(op.operands[0].type))), op)

    return folder


def _from_float(is_signed: bool) -> Folder:
    def folder(op: Operation) -> Folded | None:
        value = constant_float(op.operands[0])
        if value is None or not math.isfinite(value):
            return None
        bits = bits_of(op.results[0].type)
        low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if is_signed else (0, 1 << bits)
        return folded_integer(int(value), op) if low <= int(value) < high else None

    return folder


def _same_bits(op: Operation) -> Folded | None:
    """Fold a bitcast of a constant, and a bitcast to the same type."""
    (source,) = op.operands
    target: Attribute = op.results[0].type
    if source.type == target:
        return [source]
    number, known = constant_int(source), constant_float(source)
    if isinstance(element_type(target), IntegerType):
        if known is None:
            return None if number is None else folded_integer(number, op)
        codes = _CODES.get(type(element_type(source.type)))
        return None if codes is None else folded_integer(_packed(known, *codes), op)
    codes = _CODES.get(type(element_type(target)))
    if number is None or codes is None:
        return None
    return _float(_packed(wrap(number, bits_of(source.type)), *reversed(codes)), op)


def _packed(value: float, source: str, target: str) -> Any:
    return struct.unpack(target, struct.pack(source, value))[0]


# Arithmetic


def _neutral(neutral: float) -> Folder:
    """Return a folder that returns the left operand if the right one is `neutral`, with the same sign."""

    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        known = constant_float(right)
        if known is not None and known == neutral and math.copysign(1, known) == math.copysign(1, neutral):
            return [left]
        return None

    return folder


def _extremum(neutral: float) -> Folder:
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
    if is_made_by(source, arith.NegfOp):
        return [owner_of(source).operands[0]]
    value = constant_float(source)
    return None if value is None else _float(-value, op)


def _by(combine: Operator, *folders: Folder) -> Folder:
    """Return a folder that tries `folders`, then returns the first NaN operand, or combines two constants."""

    def first_nan(a: float, b: float) -> float:
        return a if math.isnan(a) else b if math.isnan(b) else combine(a, b)

    return _by_all(first_nan, *folders)


def _by_all(combine: Operator, *folders: Folder) -> Folder:
    """Return a folder that tries `folders`, then combines two constants, which may be NaNs."""

    def folder(op: Operation) -> Folded | None:
        for each in folders:
            found = each(op)
            if found is not None:
                return found
        a, b = (constant_float(operand) for operand in op.operands)
        return None if a is None or b is None else _float(combine(a, b), op)

    return folder


def _made(combine: Operator) -> Operator:
    """Wrap `combine` so that a computed NaN has no sign bit, which hardware would set."""

    def made(a: float, b: float) -> float:
        result = combine(a, b)
        return math.nan if math.isnan(result) else result

    return made


def _quotient(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 else math.copysign(math.inf, a) * math.copysign(1, b)


def _remainder(modulo: Operator) -> Operator:
    return lambda a, b: math.nan if b == 0 or math.isinf(a) else modulo(a, b)


def _greater(a: float, b: float) -> float:
    return max(a, b, key=lambda value: (value, math.copysign(1, value)))


def _smaller(a: float, b: float) -> float:
    return min(a, b, key=lambda value: (value, math.copysign(1, value)))


def _number(pick: Operator) -> Operator:
    """Wrap `pick`: if one operand is NaN, return the other; if both are, return the first."""
    return lambda a, b: (
        (b if not math.isnan(b) else a) if math.isnan(a) else a if math.isnan(b) else pick(a, b)
    )


# Constants


def _float(value: float, op: Operation) -> Folded | None:
    type = op.results[0].type
    rounded = _rounded(value, type)
    if rounded is None:
        return None
    return [arith.ConstantOp(splat(type, rounded) if is_vector(type) else number_attr(rounded, type))]


def _rounded(value: float, type: Attribute) -> float | None:
    """Return `value` rounded to the precision of `type`, or None if the type is not supported."""
    kind = element_type(type)
    if isinstance(kind, BFloat16Type):
        return _rounded_to_bfloat(value)
    code = _CODES.get(kind.__class__, ("", ""))[0]
    if not code:
        return None
    try:
        return struct.unpack(code, struct.pack(code, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _rounded_to_bfloat(value: float) -> float:
    """Round to bf16, the upper half of an f32, ties to even."""
    if not math.isfinite(value):
        return value
    try:
        bits: int = _packed(value, "<f", "<I")
    except OverflowError:
        return math.copysign(math.inf, value)
    bits += 0x7FFF + (bits >> 16 & 1)
    return _packed(bits & 0xFFFF0000, "<I", "<f")


FOLDERS: dict[type[Operation], Folder] = {
    arith.CmpfOp: _compare,
    arith.BitcastOp: _same_bits,
    arith.ExtFOp: _extend,
    arith.TruncFOp: _truncate,
    arith.SIToFPOp: _to_float(signed),
    arith.UIToFPOp: _to_float(wrap),
    arith.FPToSIOp: _from_float(is_signed=True),
    arith.FPToUIOp: _from_float(is_signed=False),
    arith.NegfOp: _negate,
    arith.AddfOp: _by(_made(operator.add), _neutral(-0.0)),
    arith.SubfOp: _by(_made(operator.sub), _neutral(0.0)),
    arith.MulfOp: _by(_made(operator.mul), _neutral(1.0)),
    arith.DivfOp: _by(_made(_quotient), _neutral(1.0)),
    arith.RemfOp: _by(_remainder(math.fmod)),
    arith.MaximumfOp: _by(_greater, _extremum(-math.inf)),
    arith.MinimumfOp: _by(_smaller, _extremum(math.inf)),
    arith.MaxnumfOp: _by_all(_number(_greater), _extremum(math.nan)),
    arith.MinnumfOp: _by_all(_number(_smaller), _extremum(math.nan)),
}
"""Maps each op class to its folder."""

OF_EXTENDED: dict[type[Operation], Folder] = {
    arith.TruncFOp: _truncate_extended,
}
"""Maps op classes to folders that precede `FOLDERS` in releases with `truncations_undo_extensions`."""

OF_NEAREST_REMAINDERS: dict[type[Operation], Folder] = {
    arith.RemfOp: _by(_remainder(math.remainder)),
}
"""Maps op classes to folders that precede `FOLDERS` in releases with `remainders_are_nearest`."""

OF_NANS: dict[type[Operation], Folder] = {
    arith.MaxnumfOp: _by(_greater, _extremum(-math.inf)),
    arith.MinnumfOp: _by_all(_number(_smaller), _extremum(math.inf)),
}
"""Maps op classes to folders that precede `FOLDERS` in releases with `numbers_give_way_to_nans`."""
