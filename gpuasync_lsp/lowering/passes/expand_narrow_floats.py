"""Computes with floats of eight bits in f32, for execution: LLVM has no such types, and moves them as i8.

A conversion is a function in MLIR text, which follows the bit layouts of APFloat.h of LLVM 22: it scales, and
rounds to nearest, ties to even. f64 is rounded to f32 first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from xdsl.dialects.builtin import VectorType, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from gpuasync_lsp.float_formats import FORMATS, FloatFormat
from gpuasync_lsp.lowering.conversion.edits import insert_before
from gpuasync_lsp.lowering.passes.kernels.snippets import call_text
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import is_vector, vector_type
from gpuasync_lsp.syntax.printer import attribute_text

_FORMATS = {name: form for name, form in FORMATS.items() if name.startswith("f8") and form.signed}
_CONVERSIONS = ("arith.extf", "arith.truncf")
_KEPT = ("arith.constant", "arith.select", "arith.bitcast")
"""Ops that only move values."""


def expand_narrow_floats(root: Operation) -> None:
    """Replace the ops of arith and math in `root` that have operands or results of eight-bit floats."""
    for op in list(root.walk()):
        if op.name.partition(".")[0] in ("arith", "math") and op.name not in _KEPT:
            types = [value.type for value in (*op.operands, *op.results)]
            if any(map(_format_of, types)):
                _expand(op)


def _expand(op: Operation) -> None:
    operands = [_converted(op, value, _as_f32(value.type)) for value in op.operands]
    if op.name in _CONVERSIONS:
        values = operands
    else:
        new = type(op).create(
            operands=operands,
            result_types=[_as_f32(result.type) for result in op.results],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        values = list(insert_before(op, new).results)
    results = [_converted(op, v, result.type) for v, result in zip(values, op.results, strict=True)]
    Rewriter.replace_op(op, [], results)


def _converted(op: Operation, value: SSAValue, to: Attribute) -> SSAValue:
    """Insert the conversion of a float to another type before `op`, through f32 for a narrow type."""
    if value.type == to:
        return value
    if (form := _format_of(value.type)) is not None:
        wide = _as_f32(value.type)
        value = call_text(op, _widened(form, value.type), [value], [wide]).results[0]
        return _converted(op, value, to)
    if (form := _format_of(to)) is not None:
        value = _converted(op, value, _as_f32(to))
        return call_text(op, _narrowed(form, to), [value], [to]).results[0]
    kind = arith.ExtFOp if _bits(to) > _bits(value.type) else arith.TruncFOp
    return insert_before(op, kind.create(operands=[value], result_types=[to])).results[0]


def _element(type: Attribute) -> Attribute:
    return vector_type(type).element_type if is_vector(type) else type


def _format_of(type: Attribute) -> FloatFormat | None:
    return _FORMATS.get(_element(type).name)


def _bits(type: Attribute) -> int:
    return int(re.sub(r"\D", "", _element(type).name))


def _as_f32(type: Attribute) -> Attribute:
    """Return f32, or a vector of it, for a type of floats; other types are unchanged."""
    if not re.fullmatch(r"b?f\d+(E\w+)?", _element(type).name):
        return type
    return VectorType(f32, type.shape, type.scalable_dims) if is_vector(type) else f32


def _widened(form: FloatFormat, type: Attribute) -> str:
    """Return a function from `type` to f32."""
    exponent, mantissa, bias, special, _ = form
    infinite = ((1 << exponent) - 1) << mantissa
    constants = {
        "low": 0x7F,
        "shift": 23 - mantissa,
        "sign": 0x80,
        "up": 24,
        "limit": {"ieee": infinite, "fn": 0x7F, "fnuz": 0x80}[special],
        "beyond": 0x7F800000 if special == "ieee" else 0x7FC00000,
    }
    text = _WIDEN.replace("$TEST", "eq, %wide, %limit" if special == "fnuz" else "uge, %magnitude, %limit")
    return _filled(text, type, constants, {"scale": 254 - bias << 23})


def _narrowed(form: FloatFormat, type: Attribute) -> str:
    """Return a function from f32 to `type`."""
    exponent, mantissa, bias, special, _ = form
    shift, base = 23 - mantissa, 127 - bias << 23
    infinite = ((1 << exponent) - 1) << mantissa
    limits = {"ieee": infinite << shift, "fn": 0x7F << shift, "fnuz": 1 << exponent + 23}
    magic = 128 - bias + shift << 23
    constants = {
        "low": 0x7FFFFFFF,
        "up": 24,
        "sign": 0x80,
        "zero.sign": 0 if special == "fnuz" else 0x80,
        "base": base,
        "shift": shift,
        "one": 1,
        "below": (1 << shift - 1) - 1,
        "magic.i": magic,
        "least": base + (1 << 23),
        "infinity": 0x7F800000,
        "limit": limits[special] + base,
        "most": {"ieee": infinite, "fn": 0x7F, "fnuz": 0x80}[special],
        "nan": {"ieee": infinite | 1 << mantissa - 1, "fn": 0x7F, "fnuz": 0x80}[special],
        "zero": 0,
    }
    return _filled(_NARROW, type, constants, {"magic": magic})


def _filled(text: str, type: Attribute, integers: Mapping[str, int], floats: Mapping[str, int]) -> str:
    """Replace `$T`, `$F`, `$I`, `$B` and `$S` with types, `$CONSTANTS` with definitions; floats are bits."""
    narrow = attribute_text(type)
    given, flag = {"$T": narrow}, narrow.replace(_element(type).name, "i1")
    for name, element in {"$F": "f32", "$I": "i32", "$B": "i8"}.items():
        given[name] = narrow.replace(_element(type).name, element)
    given["$S"] = f"{flag}, {given['$I']}" if is_vector(type) else given["$I"]
    lines = [
        f"  %{name} = arith.constant {f'dense<{value}>' if is_vector(type) else value} : {given[kind]}"
        for kind, known in (("$I", integers), ("$F", {n: f"0x{bits:08X}" for n, bits in floats.items()}))
        for name, value in known.items()
    ]
    text = text.replace("$CONSTANTS", "\n".join(lines))
    for name, value in given.items():
        text = text.replace(name, value)
    return text


_WIDEN = """func.func private @NAME(%x: $T) -> $F {
$CONSTANTS
  %code = arith.bitcast %x : $T to $B
  %wide = arith.extui %code : $B to $I
  %magnitude = arith.andi %wide, %low : $I
  %moved = arith.shli %magnitude, %shift : $I
  %tiny = arith.bitcast %moved : $I to $F
  %scaled = arith.mulf %tiny, %scale : $F
  %bits = arith.bitcast %scaled : $F to $I
  %is.special = arith.cmpi $TEST : $I
  %special = arith.ori %moved, %beyond : $I
  %positive = arith.select %is.special, %special, %bits : $S
  %negative = arith.andi %wide, %sign : $I
  %sign.bit = arith.shli %negative, %up : $I
  %all = arith.ori %positive, %sign.bit : $I
  %result = arith.bitcast %all : $I to $F
  return %result : $F
}
"""
"""Reads the magnitude as the exponent and mantissa of an f32, whose bias it corrects by a product."""

_NARROW = """func.func private @NAME(%x: $F) -> $T {
$CONSTANTS
  %bits = arith.bitcast %x : $F to $I
  %magnitude = arith.andi %bits, %low : $I
  %top = arith.shrui %bits, %up : $I
  %signed = arith.andi %top, %sign : $I
  %based = arith.subi %magnitude, %base : $I
  %moved = arith.shrui %based, %shift : $I
  %odd = arith.andi %moved, %one : $I
  %half = arith.addi %based, %below : $I
  %even = arith.addi %half, %odd : $I
  %normal = arith.shrui %even, %shift : $I
  %value = arith.bitcast %magnitude : $I to $F
  %sum = arith.addf %value, %magic : $F
  %sum.i = arith.bitcast %sum : $F to $I
  %small = arith.subi %sum.i, %magic.i : $I
  %is.small = arith.cmpi ult, %magnitude, %least : $I
  %finite = arith.select %is.small, %small, %normal : $S
  %is.nan = arith.cmpi ugt, %magnitude, %infinity : $I
  %over = arith.select %is.nan, %nan, %most : $S
  %is.over = arith.cmpi uge, %magnitude, %limit : $I
  %code = arith.select %is.over, %over, %finite : $S
  %is.zero = arith.cmpi eq, %code, %zero : $I
  %of.zero = arith.andi %signed, %zero.sign : $I
  %mark = arith.select %is.zero, %of.zero, %signed : $S
  %all = arith.ori %code, %mark : $I
  %narrow = arith.trunci %all : $I to $B
  %result = arith.bitcast %narrow : $B to $T
  return %result : $T
}
"""
"""Corrects the bias of the exponent, and rounds the mantissa; for subnormal results, a sum rounds."""
