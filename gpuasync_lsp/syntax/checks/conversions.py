"""Conversions between floats that were added in LLVM 23: nvgpu, xegpu and xevm.

Source: mlir-opt 23.1.4, and `NVGPUDialect.cpp`, `XeGPUOps.cpp` and `XeVMDialect.cpp` of LLVM 23.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, VectorType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, View, bits, vector_of
from gpuasync_lsp.syntax.llvm_types import quoted
from gpuasync_lsp.syntax.printer import attribute_text

_SMALL = {"f8": 8, "f6": 6, "f4": 4}
_E8M0 = "f8E8M0FNU"


def _width(element: Attribute) -> int:
    width = _SMALL.get(attribute_text(element)[:2])
    return bits(element) if width is None or isinstance(element, AnyFloat) else width


def _element(type: Attribute) -> Attribute:
    vector = vector_of(type)
    return type if vector is None else vector.element_type


def _elements(view: View) -> tuple[Attribute, Attribute] | str:
    """Return the element types of input and output, or the error for their shapes."""
    given, made = view.type("in"), view.type("out")
    source, target = vector_of(given), vector_of(made)
    types = f"got {quoted(given)} and {quoted(made)}"
    if (source is None) != (target is None):
        return f"input and output must both be scalars or both be vectors, {types}"
    if source is not None and target is not None and [*source.get_shape()] != [*target.get_shape()]:
        return f"input and output shapes must match, {types}"
    return _element(given), _element(made)


_SATURATIONS = "Describes the saturation mode whose value is one of {none, satfinite}"


def nvgpu_truncf(view: View) -> str | None:
    """Check an nvgpu.truncf: its types, the rounding modes for them, and its saturation."""
    if view.attribute("sat") is not None and view.word("sat") not in ("none", "satfinite"):
        return f"attribute 'sat' failed to satisfy constraint: {_SATURATIONS}"
    found = _elements(view)
    if isinstance(found, str):
        return found
    source, target = found
    from_text, to_text, width = attribute_text(source), attribute_text(target), _width(source)
    if width <= _width(target):
        return f"result type {quoted(target)} must be narrower than operand type {quoted(source)}"
    if width not in (16, 32, 64):
        return f"input type must be 64/32/16 bitwidth, but got {width}"
    rounding = view.word("rnd") or "rn"
    got = f"but got #nvvm.fp_rnd_mode<{rounding}>"
    if to_text == _E8M0:
        if rounding not in ("rz", "rp"):
            return f"expects RZ or RP rounding mode when result type is e8m0, {got}"
    elif rounding == "rs":
        if from_text != "f32" or to_text not in ("f16", "bf16"):
            kinds = f"{quoted(source)} -> {quoted(target)}"
            return f"RS (stochastic) rounding is only supported for f32->f16/bf16, got {kinds}"
        return None if view.count("random_bits") else "random_bits operand is required with RS rounding"
    elif width == 64:
        if rounding != "rn":
            return f"expects RN rounding mode for f64 input, {got}"
    elif from_text == "f32" and to_text in ("f16", "bf16"):
        if rounding not in ("rn", "rz"):
            return f"expects RN or RZ rounding mode for f32 to f16/bf16, {got}"
    elif rounding != "rn":
        return f"expects RN rounding mode, {got}"
    return "random_bits can only be used with RS rounding mode" if view.count("random_bits") else None


def nvgpu_extf(view: View) -> str | None:
    """Check an nvgpu.extf: its types, rounding mode and clamping to zero."""
    found = _elements(view)
    if isinstance(found, str):
        return found
    source, target = found
    width = _width(target)
    if width <= _width(source):
        return f"result type {quoted(target)} must be wider than operand type {quoted(source)}"
    if width not in (16, 32, 64):
        return f"result type must be 16, 32, or 64 bitwidth, but got {width}"
    if attribute_text(source) == _E8M0 and attribute_text(target) not in ("bf16", "f32"):
        return "expects bf16 or f32 output type when input type is e8m0."
    if (rounding := view.word("rnd") or "rn") != "rn":
        return f"expects RN rounding mode, but got #nvvm.fp_rnd_mode<{rounding}>"
    if view.is_set("relu") and attribute_text(target) == "bf16":
        return "relu is not supported for bf16 destination"
    return None


def xegpu_truncf(view: View) -> str | None:
    """Check that an xegpu.truncf narrows elements."""
    source, target = vector_of(view.type("source")), vector_of(view.type("result"))
    if source is None or target is None:
        raise NotKnown
    is_narrower = _width(target.element_type) < _width(source.element_type)
    return None if is_narrower else "input type must be wider than result type."


def xevm_conversion(view: View) -> str | None:
    """Check that operand and result of an xevm.truncf or xevm.extf are both vectors or both scalars."""
    kinds = {isinstance(view.type(name), VectorType) for name in ("src", "dst")}
    return (
        "both src and dst should be vector types or both should be scalar types" if len(kinds) > 1 else None
    )
