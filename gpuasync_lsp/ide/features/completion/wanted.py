"""The required type of an operand or result, from the written part of the op and the op's traits."""

from __future__ import annotations

import re
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from gpuasync_lsp.ide.features.completion.place import Cursor
from gpuasync_lsp.ide.features.signature_help import signature_at
from gpuasync_lsp.ide.lookup.assembly import Written
from gpuasync_lsp.ide.lookup.visible_values import enclosing_op
from gpuasync_lsp.syntax.dialects.func import FuncOp
from gpuasync_lsp.syntax.dialects.scf import ForOp, IfOp
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.ods.reading import transformed
from gpuasync_lsp.syntax.ods.table import Predicate, TypeConstraint, Variant

_OPERANDS_ALIKE = ("SameTypeOperands", "SameOperandsAndResultType")

_COUNTING = frozenset({"gpu.launch", "gpu.launch_func", "scf.for", "scf.forall", "scf.parallel"})
"""Ops that accept any integer type for bounds and sizes, where `index` is usual."""

_GIVERS = frozenset({"scf.yield", "func.return"})
"""Terminators whose operands are the results of the op around them."""

LIKE = {"src": "dst"}
"""Maps an operand to another operand that must have the same type."""


class Wanted(NamedTuple):
    """A required type, or the constraint that it must satisfy."""

    exact: str = ""
    predicate: Predicate | None = None

    def takes(self, type: Attribute) -> bool:
        """Return whether a value of `type` is allowed; True if unknown."""
        return f"{type}" == self.exact if self.exact else holds(self.predicate, type) is not False


def wanted_operand(cursor: Cursor, name: str) -> Wanted:
    """Return the required type of the operand `name` of the op at the cursor."""
    written = cursor.written
    if written is None:
        return Wanted(_by_signature(cursor))
    if cursor.name in _GIVERS and (given := _given(cursor, len(written.values.get(name, ())))) is not None:
        return Wanted(given)
    declared = dict(written.variant.operands).get(name) if written.variant is not None else None
    if declared is None or declared.predicate is None:
        by_signature = _by_signature(cursor)
        if by_signature:
            return Wanted(by_signature)
    if declared is None:
        return Wanted()
    known = _by_peers(cursor, written, name) or declared.built
    if not known and cursor.name in _COUNTING and holds(declared.predicate, IndexType()):
        known = "index"
    return Wanted(known, declared.predicate)


def _given(cursor: Cursor, number: int) -> str | None:
    """Return the type of a result of the op around the cursor; `none` if it has fewer, None if unknown."""
    around = enclosing_op(cursor.placed, cursor.span.start) if cursor.placed is not None else None
    if isinstance(around, FuncOp):
        types = around.function_type.outputs.data
    elif isinstance(around, IfOp | ForOp):
        types = [result.type for result in around.results]
    else:
        return None
    return f"{types[number]}" if number < len(types) else "none"


def type_texts(cursor: Cursor, name: str, index: int) -> str:
    """Return the types to write for `name` after `index` other types; empty if unknown."""
    written = cursor.written
    if written is None:
        return ""
    values = [v for v in written.values.get(name, ()) if v in cursor.visible]
    if index < 0:
        values = values[-1:]
    elif index:
        values = values[index:]
    if values:
        return ", ".join(f"{cursor.visible[v].type}" for v in values)
    declared = constraint_of(cursor, name)
    return _by_peers(cursor, written, name) or (declared.built if declared is not None else "")


def constraint_of(cursor: Cursor, name: str) -> TypeConstraint | None:
    """Return the constraint on the operand or result `name` of the op at the cursor."""
    variant = cursor.written.variant if cursor.written is not None else None
    return None if variant is None else dict((*variant.operands, *variant.results)).get(name)


def _by_peers(cursor: Cursor, written: Written, name: str) -> str:
    """Return the type that a trait derives from the type of a value that is already written."""
    variant = written.variant
    if variant is None:
        return ""
    for peer in _peers(variant, name):
        known = _type_of(cursor, written, peer)
        if known is not None:
            return f"{known}"
    for source, target, how, *_ in variant.rule("type-by"):
        known = _type_of(cursor, written, source) if target == name else None
        made = transformed(how, known) if known is not None else None
        if made is not None:
            return f"{made}"
    return ""


def _peers(variant: Variant, name: str) -> list[str]:
    operands = [label for label, constraint in variant.operands if not constraint.variadic]
    results = [label for label, _ in variant.results]
    found: list[str] = []
    if variant.traits & set(_OPERANDS_ALIKE) and name in operands:
        found += operands
    if "SameOperandsAndResultType" in variant.traits and name in results:
        found += operands
    for group in variant.rule("same-types"):
        if name in group:
            found += group
    return [peer for peer in dict.fromkeys(found) if peer != name]


def _type_of(cursor: Cursor, written: Written, name: str) -> Attribute | None:
    values = written.values.get(name, ())
    value = cursor.visible.get(values[0]) if values else None
    return None if value is None else value.type


def _by_signature(cursor: Cursor) -> str:
    """Return the type of the callee's parameter."""
    signature = signature_at(cursor.state.source, cursor.span.start)
    if signature is None or not signature.label.startswith("@"):
        return ""
    if signature.active >= len(signature.parameters):
        return ""
    start, end = signature.parameters[signature.active]
    return type_of_parameter(signature.label[start:end])


def type_of_parameter(parameter: str) -> str:
    """Return the type in `%name: type`, or in a plain type."""
    return re.sub(r"^%[\w$.\-]+\s*:\s*", "", parameter)


def fits_chosen(operand: str, type: Attribute, chosen: dict[str, SSAValue]) -> bool:
    """Return whether a value of `type` is compatible with the operands that are written already.

    The buffers of a copy have one element type and shape; the value of a fill has the element type."""
    like = chosen.get(LIKE.get(operand, ""))
    if like is not None:
        return _buffer(type) == _buffer(like.type) is not None
    if operand == "value" and (destination := chosen.get("dst")) is not None:
        buffer = _buffer(destination.type)
        return buffer is not None and buffer[0] == type
    return True


def _buffer(type: Attribute) -> tuple[Attribute, tuple[int, ...]] | None:
    """Return the element type and the shape of a memref."""
    if not isa(type, MemRefType):
        return None
    return type.element_type, type.get_shape()
