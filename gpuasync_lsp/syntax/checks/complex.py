"""complex: constants of two numbers, and bitcasts."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ComplexType, DenseArrayBase
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, View, bits, elements
from gpuasync_lsp.syntax.kinds import is_complex
from gpuasync_lsp.syntax.printer import attribute_text


def _constant(view: View) -> str | None:
    value, type = view.attribute("value"), view.op.results[0].type
    if isinstance(value, DenseArrayBase) or not is_complex(type):
        raise NotKnown
    parts = elements(value)
    if len(parts) != 2:
        return "requires 'value' to be a complex constant, represented as array of two values"
    wanted = type.element_type
    found = [getattr(each, "type", None) for each in parts]
    if not all(isinstance(each, Attribute) for each in found):
        raise NotKnown
    if all(each == wanted for each in found):
        return None
    written = ", ".join(f"'{attribute_text(cast(Attribute, each))}'" for each in found)
    return (
        f"requires attribute's element types ({written}) to match the element type of the op's return type "
        f"('{attribute_text(wanted)}')"
    )


def _bitcast(view: View) -> str | None:
    source, target = view.type("operand"), view.type("result")
    if isinstance(source, ComplexType) == isinstance(target, ComplexType):
        return "requires that either input or output has a complex type"
    if _bits(source) != _bits(target):
        return "casting bitwidths do not match"
    return None


def _bits(type: Attribute) -> int:
    if is_complex(type):
        return 2 * bits(type.element_type)
    return bits(type)


CHECKS = {"complex.bitcast": _bitcast, "complex.constant": _constant}
