"""Verifies the structure of ops: the number of operands, results and regions, and the attributes.

An op parsed from custom assembly has the right structure; the generic form (`"scf.for"(%a) ({}) : ...`)
permits any structure, and code that processes the op would fail on missing parts. The messages are
those of MLIR 22's verifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, IntegerType, UnregisteredAttr, i32
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    OpDef,
    OptionalDef,
    OptPropertyDef,
    RangeLengthConstraint,
    RangeOf,
    VariadicDef,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import is_dense_array
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

SEGMENTS = "operandSegmentSizes"

_ADDED_SEGMENTS = {
    # LLVM 18 added cluster sizes after block sizes. The last group is the stream: in gpu.launch_func since
    # LLVM 17, in gpu.launch since LLVM 24.
    "gpu.launch": 7,
    "gpu.launch_func": 7,
}
"""Ops with fewer operand groups in older releases, and the number of groups before the added ones."""

_BODIES = {
    "affine.for": ("region",),
    "affine.parallel": ("region",),
    "async.execute": ("bodyRegion",),
    "scf.for": ("region",),
    "scf.forall": ("region",),
    "scf.if": ("thenRegion",),
    "scf.parallel": ("region",),
    "scf.while": ("before", "after"),
}
"""Ops whose regions must have one block, and the names of these regions."""


def fault(op: IRDLOperation) -> str | None:
    """Return MLIR's error about the structure of `op`; None if it is valid.

    Segment sizes that are missing, or that have an older release's fewer groups, are completed in the op.
    """
    definition = op.get_irdl_definition()
    return (
        _counts(op, definition)
        or _missing_attribute(op, definition)
        or _segments(op, definition)
        or property_fault(op)
        or _operand_types(op, definition)
        or _bodies(op)
    )


def lack(op: IRDLOperation) -> str | None:
    """Return the error for parts that `op` lacks; additional parts may be valid in another release."""
    definition = op.get_irdl_definition()
    return _counts(op, definition, or_more=True) or _missing_attribute(op, definition)


def missing_segments(op: IRDLOperation) -> str | None:
    """Return MLIR's error for an op that lacks the sizes of its operand groups."""
    definition = op.get_irdl_definition()
    has_sizes = op.properties.get(SEGMENTS, op.attributes.get(SEGMENTS)) is not None
    return None if has_sizes or not op.operands else _segments(op, definition)


def kept_as_text(op: IRDLOperation) -> str | None:
    """Return the name of a property of `op` that was kept as text, although its class requires another
    kind."""
    for name, each in op.get_irdl_definition().properties.items():
        value = op.properties.get(name)
        if not isinstance(value, UnregisteredAttr):
            continue
        try:
            each.constr.verify(value, VerificationContext())
        except VerifyException:
            return name
    return None


def property_fault(op: IRDLOperation) -> str | None:
    """Return MLIR's error for an inherent attribute of `op` of the wrong kind."""
    definitions = op.get_irdl_definition().properties
    for name, value in op.properties.items():
        definition = definitions.get(name)
        if definition is None or value.name.startswith("gpuasync.") or isinstance(value, UnregisteredAttr):
            continue  # Attributes that are kept as text are not checked.
        try:
            definition.constr.verify(value, VerificationContext())
        except VerifyException:
            written = attribute_text(DictionaryAttr(op.properties))
            return (
                f"invalid properties {written} for op {op.name}: Invalid attribute `{name}` in property "
                f"conversion: {attribute_text(value)}"
            )
    return None


def _counts(op: Operation, definition: OpDef, or_more: bool = False) -> str | None:
    return (
        _count(op, "region", len(op.regions), definition.regions, or_more)
        or _count(op, "result", len(op.results), definition.results, or_more)
        or _count(op, "successor", len(op.successors), definition.successors, or_more)
        or _count(op, "operand", len(op.operands), definition.operands, or_more)
    )


def _count(
    op: Operation, kind: str, found: int, definitions: Sequence[tuple[str, object]], or_more: bool
) -> str | None:
    several = [each for _, each in definitions if isinstance(each, VariadicDef)]
    least = len(definitions) - len(several)
    if found == least or (found > least and or_more):
        return None
    if found > least and several:
        (_, first), *_ = definitions
        alone = len(definitions) == 1 and isinstance(first, OptionalDef)
        if not alone or found == 1:
            return None
        return f"'{op.name}' op {kind} group starting at #0 requires 0 or 1 element, but found {found}"
    return f"'{op.name}' op {wrong_number(kind, found, least, or_more=bool(several))}"


def wrong_number(kind: str, found: int, least: int, *, or_more: bool) -> str:
    """Return MLIR's error for `found` operands instead of `least` (with `or_more`: at least `least`).

    `kind` is "operand", "result", "region" or "successor"."""
    if kind == "successor":
        wanted = f"{least} successor{'s' * (least != 1)}"
        return f"requires {'at least ' * or_more}{wanted} but found {found}"
    if or_more:
        words = f"expected {least} or more {kind}s"
    elif least == 0:
        words = f"requires zero {kind}s"
    elif least == 1:
        words = "requires a single operand" if kind == "operand" else f"requires one {kind}"
    else:
        words = f"expected {least} {kind}s"
    return f"{words}, but found {found}" if kind == "operand" and words.startswith("expected") else words


def _segments(op: IRDLOperation, definition: OpDef) -> str | None:
    if not any(isinstance(option, AttrSizedOperandSegments) for option in definition.options):
        return None
    written = op.properties.get(SEGMENTS, op.attributes.get(SEGMENTS))
    groups = len(definition.operands)
    sizes = list(_sizes(written))
    added = groups - len(sizes)
    if op.name in _ADDED_SEGMENTS and added in (1, 3, 4):
        at = _ADDED_SEGMENTS[op.name]
        clusters = 3 if added >= 3 else 0
        sizes = [*sizes[:at], *[0] * clusters, *sizes[at:], *[0] * (added - clusters)]
    elif written is None:
        sizes = [0] * groups
    if len(sizes) != groups:
        return (
            f"'{op.name}' op '{SEGMENTS}' attribute for specifying operand segments must have {groups} "
            f"elements, but got {len(sizes)}"
        )
    if sum(sizes) != len(op.operands):
        return (
            f"'{op.name}' op operand count ({len(op.operands)}) does not match with the total size "
            f"({sum(sizes)}) specified in attribute '{SEGMENTS}'"
        )
    op.attributes.pop(SEGMENTS, None)
    op.properties[SEGMENTS] = DenseArrayBase.from_list(i32, sizes)
    at = 0
    for (_, each), size in zip(definition.operands, sizes, strict=True):
        if isinstance(each, OptionalDef) and size > 1:
            return f"'{op.name}' op operand group starting at #{at} requires 0 or 1 element, but found {size}"
        if not isinstance(each, VariadicDef) and size != 1:
            return f"'{op.name}' op operand group starting at #{at} requires 1 element, but found {size}"
        at += size
    return None


def _sizes(value: Attribute | None) -> Sequence[int]:
    return integers(value) if is_dense_array(value) else ()


def _missing_attribute(op: IRDLOperation, definition: OpDef) -> str | None:
    for name, each in definition.properties.items():
        if name not in op.properties and name != SEGMENTS and not isinstance(each, OptPropertyDef):
            return f"'{op.name}' op requires attribute '{name}'"
    return None


def _operand_types(op: IRDLOperation, definition: OpDef) -> str | None:
    """Return the error for an operand whose type is not the one that its class requires."""
    given: Sequence[Sequence[SSAValue]]
    if len(definition.operands) == 1:
        given = [op.operands]
    elif any(isinstance(each, VariadicDef) for _, each in definition.operands):
        sizes, at = _sizes(op.properties.get(SEGMENTS)), 0
        if not sizes:
            # The only variadic group gets the operands that the other groups leave.
            rest = len(op.operands) - len(definition.operands) + 1
            sizes = [rest if isinstance(each, VariadicDef) else 1 for _, each in definition.operands]
        given = []
        for size in sizes:
            given.append(op.operands[at : at + size])
            at += size
    else:
        given = [[operand] for operand in op.operands]
    index = 0
    for (_, each), values in zip(definition.operands, given, strict=True):
        constraint = each.constr
        if isinstance(constraint, RangeLengthConstraint):
            constraint = constraint.constraint
        wanted = constraint.constr if isinstance(constraint, RangeOf) else None
        for value in values:
            words = _type_words(wanted)
            if words and not isinstance(value.type, UnknownType) and not _fits(wanted, value.type):
                several = "variadic of " if isinstance(each, VariadicDef) else ""
                return (
                    f"'{op.name}' op operand #{index} must be {several}{words}, but got "
                    f"'{attribute_text(value.type)}'"
                )
            index += 1
    return None


def _type_words(constraint: object) -> str | None:
    if isinstance(constraint, EqAttrConstraint):
        attribute = cast(EqAttrConstraint[Attribute], constraint).attr
        if isinstance(attribute, IntegerType):
            return f"{str(cast(Attribute, attribute))[1:]}-bit signless integer"
    if isinstance(constraint, BaseAttr):
        return _TYPE_WORDS.get(cast(BaseAttr[Attribute], constraint).attr.name)
    return None


def _fits(constraint: object, type: Attribute) -> bool:
    if isinstance(constraint, EqAttrConstraint):
        return type == cast(EqAttrConstraint[Attribute], constraint).attr
    return isinstance(constraint, BaseAttr) and isinstance(type, cast(BaseAttr[Attribute], constraint).attr)


_TYPE_WORDS = {
    "async.coro.handle": "async coro handle type",
    "async.coro.id": "async coro id type",
    "async.coro.state": "async coro state type",
    "async.group": "async group type",
    "async.token": "async token type",
    "gpu.async.token": "async token type",
    "index": "index",
}
"""MLIR's names for the operand types that ops require."""


def _bodies(op: Operation) -> str | None:
    for index, name in enumerate(_BODIES.get(op.name, ())):
        region: Region = op.regions[index]
        if len(region.blocks) != 1:
            return (
                f"'{op.name}' op region #{index} ('{name}') failed to verify constraint: region with 1 blocks"
            )
    return None
