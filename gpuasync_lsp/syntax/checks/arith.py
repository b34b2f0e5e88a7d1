"""arith: casts between types that nothing casts, and constants that their type does not hold."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View, scalable, shaped
from gpuasync_lsp.syntax.kinds import is_integer, is_tensor, is_vector
from gpuasync_lsp.syntax.printer import attribute_text


def _width(type: Attribute) -> int:
    element = shaped(type)[1] if type.name in ("vector", "tensor") else type
    if is_integer(element):
        return element.width.data
    if isinstance(element, AnyFloat):
        return element.bitwidth
    raise NotKnown


_INDEX_IS_BITS = Profile.bitcast_rejects_index.since


def _bitcast(view: View) -> str | Refusal | None:
    source, target = view.type("in"), view.type("out")
    if source != target and IndexType() in (source, target):
        return Refusal(_incompatible(source, target), before=_INDEX_IS_BITS)
    return _incompatible(source, target) if _width(source) != _width(target) else _encodings(view)


def _encodings(view: View) -> str | None:
    source, target = view.type("in"), view.type("out")
    before, after = _encoding(source), _encoding(target)
    if before is None or after is None or before == after:
        return None
    return _incompatible(source, target)


def _encoding(type: Attribute) -> Attribute | None:
    return type.encoding if is_tensor(type) else None


def _incompatible(source: Attribute, target: Attribute) -> str:
    names = f"operand type '{attribute_text(source)}' and result type '{attribute_text(target)}'"
    return f"{names} are cast incompatible"


def _select(view: View) -> str | None:
    condition, result = view.type("condition"), view.type("result")
    if not isinstance(condition, TensorType) or not is_tensor(result):
        return None
    wanted: Attribute = TensorType(IntegerType(1), result.get_shape(), result.encoding)
    if cast(Attribute, condition) == wanted:
        return None
    return (
        "expected condition type to have the same shape as the result type, expected "
        f"'{attribute_text(wanted)}', but got '{attribute_text(cast(Attribute, condition))}'"
    )


def _constant(view: View) -> str | None:
    value, type = view.attribute("value"), view.type("result")
    of_value = getattr(value, "type", None)
    if isinstance(of_value, Attribute) and of_value != type and "gpuasync" not in of_value.name:
        return "failed to verify that all of {value, result} have same type"
    if not is_vector(type) or not any(scalable(type)):
        return None
    if isinstance(value, DenseIntOrFPElementsAttr) and not cast(Any, value).is_splat():
        return (
            "intializing scalable vectors with elements attribute is not supported unless it's a vector splat"
        )
    return None


CHECKS = {
    "arith.bitcast": _bitcast,
    "arith.constant": _constant,
    "arith.select": _select,
    **{
        f"arith.{name}": _encodings
        for name in ("extf", "extsi", "extui", "truncf", "trunci", "sitofp", "uitofp", "fptosi", "fptoui")
    },
}
