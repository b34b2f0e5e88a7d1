"""arith: casts between incompatible types, and constants whose value does not match their type."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.view import First, NotKnown, VerifierError, View, scalable, shaped
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.dialects.assembly import fail
from gpuasync_lsp.syntax.kinds import is_dense_elements, is_integer, is_tensor, is_unranked_tensor, is_vector
from gpuasync_lsp.syntax.ods.by_table import TableOp
from gpuasync_lsp.syntax.printer import attribute_text


def _width(type: Attribute) -> int:
    element = shaped(type)[1] if type.name in ("vector", "tensor") else type
    if is_integer(element):
        return element.width.data
    if isinstance(element, AnyFloat):
        return element.bitwidth
    raise NotKnown


_INDEX_IS_BITS = Profile.bitcast_rejects_index.since


def _bitcast(view: View) -> str | VerifierError | None:
    source, target = view.type("in"), view.type("out")
    if source != target and IndexType() in (source, target):
        return VerifierError(_incompatible(source, target), before=_INDEX_IS_BITS)
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
    if is_dense_elements(value) and not value.is_splat():
        return (
            "intializing scalable vectors with elements attribute is not supported unless it's a vector splat"
        )
    return None


def _verify_constant(op: arith.ConstantOp) -> None:
    type = arith.optional_type_of_constant(op.value)
    if isinstance(op.value, StringAttr) or (type is not None and type != op.result.type):
        fail(op, "failed to verify that all of {value, result} have same type")
    result = op.result.type
    if str(result)[:2] in ("si", "ui"):
        fail(op, "integer return type must be signless")


def _verify_cast(op: TableOp) -> None:
    types = (op.in_.type, op.out.type)
    kinds = [t.element_type if is_vector(t) or is_tensor(t) or is_unranked_tensor(t) else t for t in types]
    if op.name in _OF_INDICES:
        compatible = isinstance(kinds[0], IndexType) != isinstance(kinds[1], IndexType)
    else:
        widths = [getattr(kind, "bitwidth", None) for kind in kinds]
        source, target = widths if op.name in _WIDENING else reversed(widths)
        compatible = source is None or target is None or source < target
    if not compatible:
        fail(op, _incompatible(*types))


_WIDENING = ("arith.extsi", "arith.extui", "arith.extf")
_NARROWING = ("arith.trunci", "arith.truncf")
_OF_INDICES = ("arith.index_cast", "arith.index_castui")

FIRST: First = {
    "arith.constant": _verify_constant,
    **dict.fromkeys((*_WIDENING, *_NARROWING, *_OF_INDICES), _verify_cast),
}

CHECKS = {
    "arith.bitcast": _bitcast,
    "arith.constant": _constant,
    "arith.select": _select,
    **{
        f"arith.{name}": _encodings
        for name in ("extf", "extsi", "extui", "truncf", "trunci", "sitofp", "uitofp", "fptosi", "fptoui")
    },
}
