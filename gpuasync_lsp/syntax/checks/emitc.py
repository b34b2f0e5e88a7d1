"""emitc: C expressions, variables and calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, IntegerType, StringAttr, UnregisteredAttr
from xdsl.ir import Attribute, BlockArgument

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

Said = str | Refusal | None

_ARRAY = re.compile(r"((?:[0-9]{1,9}x)+)(.*)", re.DOTALL)


_POINTER_WIDE = frozenset({"!emitc.size_t", "!emitc.ssize_t", "!emitc.ptrdiff_t"})
"""Types whose constants are written as an index (mlir-opt 19 to 24)."""


def _body(type: Attribute, kind: str) -> str | None:
    """Return what stands in the brackets of `!emitc.<kind><...>`, None for another type."""
    if isinstance(type, UnknownType):
        raise NotKnown
    if isinstance(type, UnregisteredAttr) and type.attr_name.data == f"emitc.{kind}":
        return type.value.data.strip()
    return None


def _is_pointer(type: Attribute) -> bool:
    return _body(type, "ptr") is not None


def _is_integer_like(type: Attribute) -> bool:
    if isinstance(type, IntegerType):
        return cast("IntegerType[int]", type).width.data in (1, 8, 16, 32, 64)
    named = isinstance(type, UnregisteredAttr) and type.attr_name.data in (
        "emitc.opaque", "emitc.size_t", "emitc.ssize_t", "emitc.ptrdiff_t",
    )  # fmt: skip
    return isinstance(type, IndexType) or named


def _add(view: View) -> Said:
    left, right = view.type("lhs"), view.type("rhs")
    if _is_pointer(left) and _is_pointer(right):
        return "requires that at most one operand is a pointer"
    for pointer, other in ((left, right), (right, left)):
        if _is_pointer(pointer) and not _is_integer_like(other):
            return "requires that one operand is an integer or of opaque type if the other is a pointer"
    return None


def _sub(view: View) -> Said:
    left, right, made = view.type("lhs"), view.type("rhs"), view.op.results[0].type
    if _is_pointer(right) and not _is_pointer(left):
        return "rhs can only be a pointer if lhs is a pointer"
    if _is_pointer(left) and not (_is_integer_like(right) or _is_pointer(right)):
        return "requires that rhs is an integer, pointer or of opaque type if lhs is a pointer"
    if _is_pointer(left) and _is_pointer(right) and not _is_integer_like(made):
        return (
            "requires that the result is an integer, ptrdiff_t or of opaque type if lhs and rhs are pointers"
        )
    return None


def _apply(view: View) -> Said:
    operator = view.attribute("applicableOperator")
    if not isinstance(operator, StringAttr):
        raise NotKnown
    if not operator.data:
        return "applicable operator must not be empty"
    if operator.data not in ("&", "*"):
        return "applicable operator is illegal"
    if operator.data == "&" and view.op.operands and _body(view.op.operands[0].type, "lvalue") is None:
        return Refusal("operand type must be an lvalue when applying `&`", 20)
    return None


def _assign(view: View) -> Said:
    variable = view.values("var")[0]
    if isinstance(variable, BlockArgument):
        return Refusal("cannot assign to block argument", 20)
    return None


def _call(view: View) -> Said:
    callee, arguments = view.attribute("callee"), view.attribute("args")
    if not isinstance(callee, StringAttr):
        raise NotKnown
    if not callee.data:
        return "callee must not be empty"
    for each in cast("ArrayAttr[Attribute]", arguments).data if isinstance(arguments, ArrayAttr) else ():
        number = cast("IntegerAttr[IndexType | IntegerType]", each) if isinstance(each, IntegerAttr) else None
        if number is not None and isinstance(number.type, IndexType):
            if not 0 <= number.value.data < len(view.op.operands):
                return "index argument is out of range"
        elif isinstance(each, ArrayAttr):
            return "array argument has no type"
    given = view.attribute("template_args")
    for each in cast("ArrayAttr[Attribute]", given).data if isinstance(given, ArrayAttr) else ():
        if isinstance(each, StringAttr | ArrayAttr):
            return "template argument has invalid type"
    return None


def _constant(view: View) -> Said:
    """What constants and variables are given is of their type."""
    value, made = view.attribute("value"), view.op.results[0].type
    if isinstance(value, UnregisteredAttr) and value.attr_name.data == "emitc.opaque":
        if not value.value.data.strip().strip('"'):
            return Refusal("value must not be empty", 18)
        return None
    type: object = getattr(value, "type", None)
    inner = _body(made, "lvalue")
    if not isinstance(type, Attribute) or isinstance(made, UnknownType):
        raise NotKnown
    if attribute_text(type) == (attribute_text(made) if inner is None else inner):
        return None
    if isinstance(type, IndexType) and attribute_text(made) in _POINTER_WIDE:
        return None
    if inner is not None or view.op.name == "emitc.variable":
        raise NotKnown
    return (
        f"requires attribute to either be an #emitc.opaque attribute or it's type ('{attribute_text(type)}') "
        f"to match the op's result type ('{attribute_text(made)}')"
    )


def _literal(view: View) -> Said:
    value = view.attribute("value")
    return "value must not be empty" if isinstance(value, StringAttr) and not value.data else None


def _subscript(view: View) -> Said:
    value, indices = view.type("value"), view.types("indices")
    if (array := _body(value, "array")) is not None:
        return _of_array(array, indices, view)
    if (pointee := _body(value, "ptr")) is not None:
        if len(indices) != 1:
            return f"on pointer operand requires one index operand, but got {len(indices)}"
        if not _is_integer_like(indices[0]):
            words = "on pointer operand requires index operand to be integer-like, but got"
            return Refusal(f"{words} '{attribute_text(indices[0])}'", 20)
        return _element(pointee, "pointer operand", "pointee type", view)
    return None


def _of_array(array: str, indices: Sequence[Attribute], view: View) -> Said:
    match = _ARRAY.fullmatch(array)
    if match is None:
        raise NotKnown
    rank = match[1].count("x")
    if len(indices) != rank:
        words = "on array operand requires number of indices"
        return Refusal(f"{words} ({len(indices)}) to match the rank of the array type ({rank})", 20)
    for number, index in enumerate(indices):
        if not _is_integer_like(index):
            words = f"on array operand requires index operand {number} to be integer-like, but got"
            return Refusal(f"{words} '{attribute_text(index)}'", 20)
    return _element(match[2], "array operand", "array element type", view)


def _element(element: str, what: str, kind: str, view: View) -> Said:
    made = _body(view.op.results[0].type, "lvalue")
    if made is None or "!" in element or made == element:
        return None
    words = f"on {what} requires element type ('{element}') and result type ('{made}') to match"
    if what == "pointer operand":
        words = f"on {what} requires {kind} ('{element}') and result type ('{made}') to match"
    return Refusal(words, 22)


CHECKS: dict[str, Callable[[View], Said]] = {
    "emitc.add": _add,
    "emitc.apply": _apply,
    "emitc.assign": _assign,
    "emitc.call_opaque": _call,
    "emitc.constant": _constant,
    "emitc.literal": _literal,
    "emitc.sub": _sub,
    "emitc.subscript": _subscript,
    "emitc.variable": _constant,
}
