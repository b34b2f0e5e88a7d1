"""Verifies ops in generic form against their definition: counts, groups, attributes, regions.

An op parsed from custom assembly has the right structure; the generic form (`"tensor.dim"(%a) : ...`)
permits any structure. The messages are those of MLIR 22, in the order of its generated verifiers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.dialects.assembly import integers, is_i32_array
from gpuasync_lsp.syntax.kinds import is_integer_attr
from gpuasync_lsp.syntax.ods.grouping import SEGMENTS, groups
from gpuasync_lsp.syntax.ods.rules import sized_regions
from gpuasync_lsp.syntax.ods.table import AttrConstraint, Group, TypeConstraint, Variant, entry
from gpuasync_lsp.syntax.opaque import OpaqueOp, written_name
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.structure import wrong_number

_BUILTIN = (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    TypeAttribute,
)
"""Builtin attributes, which never satisfy a constraint that requires another dialect's attribute."""
_UNTYPED = (ArrayAttr, DenseArrayBase, DictionaryAttr, SymbolRefAttr, UnitAttr, TypeAttribute)
"""Attributes without a type."""
_COMPLETED = frozenset({"gpu.launch", "gpu.launch_func"})
"""Ops whose class always has the operand groups of the newest release, regardless of the text."""


def structural_faults(op: Operation) -> Mapping[Variant, str]:
    """Return the error for `op`, parsed from generic form, for each definition that it violates.

    The result is empty for unknown ops."""
    found = entry(op.name)
    if found is None:
        return {}
    errors = {variant: _fault(op, variant) for variant in found.variants}
    return {variant: f"'{op.name}' op {words}" if words[0] != "\n" else words[1:]
            for variant, words in errors.items() if words is not None}  # fmt: skip


def _fault(op: Operation, variant: Variant) -> str | None:
    """Return the error after the op's name, or None; a leading line break means that MLIR omits the name."""
    if op.name in _COMPLETED:
        return blocks_fault(op, variant) or sized_regions(op, variant)
    return (
        _properties(op, variant)
        or _count("region", len(op.regions), variant.regions)
        or _count("result", len(op.results), variant.results)
        or _count("successor", len(op.successors), variant.successors)
        or _count("operand", len(op.operands), variant.operands)
        or _total(op, variant, "Operand", len(op.operands))
        or _total(op, variant, "Result", len(op.results))
        or blocks_fault(op, variant)
        or _missing(op, variant)
        or _groups(op, variant)
        or sized_regions(op, variant)
    )


# Attributes


def _properties(op: Operation, variant: Variant) -> str | None:
    """Return the parser's error for a property of the wrong type, or None."""
    for name, trait in zip(SEGMENTS, ("AttrSizedOperandSegments", "AttrSizedResultSegments"), strict=True):
        value = op.properties.get(name)
        if value is None or trait not in variant.traits:
            continue
        if not is_i32_array(value):
            return _invalid(op, "expected DenseI32ArrayAttr for key `value`")
        wanted = len(variant.operands if name == SEGMENTS[0] else variant.results)
        if (found := len(cast("DenseArrayBase[IntegerType]", value))) != wanted:
            return _invalid(op, f"size mismatch in attribute conversion: {found} vs {wanted}")
    for name, constraint in variant.attributes.items():
        value = op.properties.get(name)
        if value is not None and _is_of_other_kind(constraint, value):
            return _invalid(op, f"Invalid attribute `{name}` in property conversion: {attribute_text(value)}")
    return None


def _is_of_other_kind(constraint: AttrConstraint, value: Attribute) -> bool:
    """Return whether `value` is a builtin attribute but `constraint` requires a dialect's attribute."""
    if constraint.kind == "enum":
        return _is_no_case(constraint, value)
    if constraint.summary == "TypedAttr instance":
        return isinstance(value, _UNTYPED)
    if constraint.summary == "PoisonAttrInterface instance":
        return isinstance(value, _BUILTIN)
    if constraint.kind != "def" or "." not in constraint.written:
        return False
    # The predicate differs if the constraint allows two kinds of attributes.
    is_one = bool(constraint.predicate) and cast("Sequence[object]", constraint.predicate)[0] == "is"
    return is_one and isinstance(value, _BUILTIN) and "." not in value.name


def _is_no_case(constraint: AttrConstraint, value: Attribute) -> bool:
    """Return whether `value` is a builtin attribute that does not encode a case of the enumeration."""
    if not is_integer_attr(value):
        return isinstance(value, _BUILTIN)
    number = value.value.data
    if attribute_text(value.type) not in ("i32", "i64", constraint.type):
        return True
    if constraint.separator:  # The cases are bits.
        for case in constraint.values:
            number &= ~case
        return number != 0
    return bool(constraint.values) and number not in constraint.values


def _invalid(op: Operation, words: str) -> str:
    written = attribute_text(DictionaryAttr(op.properties))
    return f"\ninvalid properties {written} for op {op.name}: {words}"


def _missing(op: Operation, variant: Variant) -> str | None:
    for name, each in variant.attributes.items():
        if each.optional or each.has_default or each.kind == "property":
            continue
        if name not in op.properties and name not in op.attributes:
            return f"requires attribute '{name}'"
    return None


# Numbers


def _count(
    kind: str, found: int, definitions: Sequence[tuple[str, TypeConstraint]] | Sequence[Group]
) -> str | None:
    several = sum(bool((each if isinstance(each, Group) else each[1]).variadic) for each in definitions)
    least = len(definitions) - several
    if found == least or (found > least and several):
        return None
    return wrong_number(kind, found, least, or_more=bool(several))


def _total(op: Operation, variant: Variant, kind: str, found: int) -> str | None:
    if f"AttrSized{kind}Segments" not in variant.traits:
        return None
    name = f"{kind.lower()}SegmentSizes"
    written = op.properties.get(name, op.attributes.get(name))
    sizes: Sequence[int] = ()
    if written is not None:
        if not is_i32_array(written):
            return None
        sizes = [int(each) for each in integers(written)]
        groups_wanted = len(variant.operands if kind == "Operand" else variant.results)
        if len(sizes) != groups_wanted:
            return (
                f"'{name}' attribute for specifying {kind.lower()} segments must have {groups_wanted} "
                f"elements, but got {len(sizes)}"
            )
    if any(size < 0 for size in sizes):
        return f"'{name}' attribute cannot have negative elements"
    if sum(sizes) != found:
        return (
            f"{kind.lower()} count ({found}) does not match with the total size ({sum(sizes)}) specified in "
            f"attribute '{name}'"
        )
    return None


def _groups(op: Operation, variant: Variant) -> str | None:
    for kind, definitions, values, segments in (
        ("operand", variant.operands, op.operands, SEGMENTS[0]),
        ("result", variant.results, op.results, SEGMENTS[1]),
    ):
        several = [each for _, each in definitions if each.variadic]
        if any(each.variadic == "vv" for each in several):
            continue
        found = groups(op, definitions, values, segments)
        at = 0
        for number, (name, each) in enumerate(definitions if found is not None else ()):
            size = len((found or {})[name or f"#{number}"])
            if each.variadic == "o" and size > 1:
                return f"{kind} group starting at #{at} requires 0 or 1 element, but found {size}"
            if not each.variadic and size != 1:
                return f"{kind} group starting at #{at} requires 1 element, but found {size}"
            at += size
    return None


# Regions


def blocks_fault(op: Operation, variant: Variant) -> str | None:
    """Return the error for blocks of `op` that violate its traits, without the op's name; None if valid."""
    endings = {name for (name,) in variant.rule("terminator")}
    if "SingleBlock" not in variant.traits and not endings and "NoRegionArguments" not in variant.traits:
        return None
    for index, region in enumerate(op.regions):
        first, last = region.blocks.first, region.blocks.last
        if first is None or last is None:
            continue
        if "NoRegionArguments" in variant.traits and first.args:
            return "region should have no arguments" if len(op.regions) == 1 else (
                f"region #{index} should have no arguments"
            )  # fmt: skip
        if "SingleBlock" not in variant.traits:
            continue
        if first is not last:
            return f"expects region #{index} to have 0 or 1 blocks"
        end = first.last_op
        if "NoTerminator" in variant.traits:
            continue
        if end is None:
            return "expects a non-empty block"
        # For a last op that is not a terminator, MLIR reports a different error.
        is_other = isinstance(end, UnregisteredOp) or end.has_trait(IsTerminator)
        if endings and is_other and end.name not in endings and not isinstance(end, OpaqueOp):
            return f"expects regions to end with '{min(endings)}', found '{written_name(end)}'"
    return None
