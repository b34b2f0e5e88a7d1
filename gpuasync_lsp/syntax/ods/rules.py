"""Verifies an op using only its definition: attributes, operands, results, regions, traits.

The messages are those of the generated verifiers. Unknown facts (a predicate without translation, an unparsed
value) are assumed to hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import cast

from xdsl.dialects.builtin import (
    UnregisteredAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, VariadicDef

from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.forms import form_of
from gpuasync_lsp.syntax.irdl_rules import is_from_irdl
from gpuasync_lsp.syntax.ods.grouping import SEGMENTS, Groups, groups
from gpuasync_lsp.syntax.ods.op_predicates import named_type, op_holds, same_shapes
from gpuasync_lsp.syntax.ods.operation import (
    OdsOperation,
    is_understood,
    is_unnamed,
    spelled_in,
    written_alike,
)
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.ods.reading import transformed
from gpuasync_lsp.syntax.ods.table import AttrConstraint, TypeConstraint, Variant, entry
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType, written_name
from gpuasync_lsp.syntax.printer import attribute_text


def faults(op: Operation) -> Mapping[Variant, str]:
    """Map each definition that rejects `op` to its error."""
    form = form_of(op)
    if form is None:
        return _faults(op)
    if form.faults is None:
        form.faults = _faults(op)
    return form.faults


def _faults(op: Operation) -> Mapping[Variant, str]:
    found = None if is_from_irdl(op) else entry(op.name)
    if found is None:
        return {}
    errors = {variant: _fault(op, variant) for variant in found.variants}
    return {variant: words for variant, words in errors.items() if words is not None}


@cache
def required_attributes(name: str) -> tuple[str, ...]:
    """Return the attributes that the op `name` requires in every release, in the order of its definition."""
    found = entry(name)
    if found is None:
        return ()
    required = [
        [
            each
            for each, of in variant.attributes.items()
            if not (of.optional or of.has_default or of.kind == "property")
        ]
        for variant in found.variants
    ]
    return tuple(each for each in required[-1] if all(each in names for names in required))


@cache
def groups_operands(name: str) -> bool:
    """Return whether the op `name` has operand segment sizes in every release."""
    found = entry(name)
    return found is not None and all("AttrSizedOperandSegments" in each.traits for each in found.variants)


def by_release(wrong: Mapping[Variant, str]) -> tuple[tuple[int, str], ...]:
    """Return pairs of a release and its error for `wrong`, which maps definitions to errors."""
    return tuple((release, words) for variant, words in wrong.items() for release in sorted(variant.releases))


def in_all_releases(op: Operation, wrong: Mapping[Variant, str]) -> str | None:
    """Return the newest definition's error if every definition rejects `op`, else None."""
    found = entry(written_name(op))
    if found is None or len(wrong) < len(found.variants):
        return None
    return wrong[found.variants[-1]]


def in_release(op: Operation, wrong: Mapping[Variant, str], version: int) -> str | None:
    """Return the error of LLVM `version` for `op`; None if that release accepts it or is unknown.

    A release without ODS tables rejects what both its neighbors reject. Arithmetic on rank-0 vectors,
    which LLVM 16 rejects and LLVM 19 accepts, is rejected by LLVM 17 and 18 (measured).
    """
    found = entry(written_name(op))
    if found is None:
        return None
    errors = [wrong.get(variant) for variant in found.around(version)]
    if not errors or errors[0] is None:
        return None
    of_rank_0 = not profile(version).rank_0_vectors_compute and _is_of_rank_0(errors[0])
    return errors[0] if None not in errors or of_rank_0 else None


_RANK_0 = re.compile(r"vector<[a-z]\w*>'")


def _is_of_rank_0(message: str) -> bool:
    """Return whether the error `message` is about a rank-0 vector instead of an element-like type."""
    wanted, _, got = message.rpartition(" but got '")
    return "-like" in wanted and _RANK_0.fullmatch(got) is not None


def _fault(op: Operation, variant: Variant) -> str | None:
    if isinstance(op, OdsOperation) and spelled_in(op) is not None and not is_understood(variant):
        return None  # It is unknown how C++ assembly parses this text.
    operands = groups(op, variant.operands, op.operands, SEGMENTS[0])
    results = groups(op, variant.results, op.results, SEGMENTS[1])
    is_from_table = isinstance(op, OdsOperation)
    if isinstance(op, OdsOperation) and spelled_in(op) is not None and _regroups(op.variant, variant):
        operands = _regrouped(op, variant)
        if operands is None:
            return None
    if (
        results is None
        and not variant.results
        and isinstance(op, OdsOperation)
        and spelled_in(op) is not None
    ):
        if not is_unnamed(op):
            return "cannot name an operation with no results"
        results = dict[str, Sequence[SSAValue]]()
    if operands is None or results is None:
        if is_from_table:
            wrong = _counts(op, variant)
        else:
            wrong = _attributes(op, variant) if _matches_attributes(op, variant) else None
        return None if wrong is None else f"'{op.name}' op {wrong}"
    if not is_from_table and not _is_alike(type(op), variant):
        return None
    error = (
        (_attributes if _matches_attributes(op, variant) else _lacking)(op, variant)
        or _values("operand", variant.operands, operands)
        or _values("result", variant.results, results)
        or _together(op, variant, operands, results)
        or (sized_regions(op, variant) if is_from_table else None)
        or _by_traits(op, variant)
        or (_parent(op, variant) if is_from_table else None)
    )
    return None if error is None else f"'{op.name}' op {error}"


@lru_cache(maxsize=4096)
def _regroups(read: Variant, other: Variant) -> bool:
    """Return whether two definitions with segment sizes order the operand groups differently."""
    sized = all("AttrSizedOperandSegments" in each.traits for each in (read, other))
    return sized and [_stem(name) for name, _ in read.operands] != [_stem(name) for name, _ in other.operands]


def _regrouped(op: OdsOperation, variant: Variant) -> Groups | None:
    """Return the operands of `op` by the group names of `variant`, another release's definition.

    Returns None if a group has no counterpart."""
    read = op.operand_groups()
    if read is None:
        return None
    by_stem = {_stem(name): values for name, values in read.items() if values}
    found = {name: by_stem.pop(_stem(name), ()) for name, _ in variant.operands}
    return None if by_stem else found


_DECORATIONS = ("var", "val", "expr", "operand")


@cache
def _stem(name: str) -> str:
    """Return an operand name without suffixes that differ between releases: `num_threads_var`."""
    words = name.replace("Operands", "_operands").lower().split("_")
    while len(words) > 1 and words[-1].removesuffix("s") in _DECORATIONS:
        words.pop()
    return "_".join(word.removesuffix("s") for word in words)


def _counts(op: Operation, variant: Variant) -> str | None:
    """Return MLIR's error if `variant` defines a different number of operands or results, else None."""
    for kind, definitions, found in (
        ("operand", variant.operands, len(op.operands)),
        ("result", variant.results, len(op.results)),
    ):
        single = {"operand": "a single", "result": "one"}[kind]
        least, is_open = len(definitions), any(each.variadic for _, each in definitions)
        if is_open or found == least:
            continue
        if least < 2:
            return f"requires zero {kind}s" if not least else f"requires {single} {kind}"
        return f"expected {least} {kind}s, but found {found}"
    return None


def _matches_attributes(op: Operation, variant: Variant) -> bool:
    """Return whether the attributes of `op` can be checked against `variant`.

    The text was parsed with one definition, whose attributes may differ. A handwritten class has the
    attributes of the newest release.
    """
    if isinstance(op, OdsOperation):
        return spelled_in(op) is None or op.variant is variant or _makes_alike(op.variant, variant)
    found = entry(op.name)
    return found is not None and (
        variant is found.variants[-1] or _attributes(op, found.variants[-1]) is not None
    )


@lru_cache(maxsize=4096)
def _makes_alike(read: Variant, other: Variant) -> bool:
    """Return whether two definitions parse the same attributes from any input."""
    if not other.releases <= written_alike(read):
        return False
    both = ((each, read.attributes.get(name)) for name, each in other.attributes.items())
    return all(ours is not None and _made(ours) == _made(each) for each, ours in both)


def _made(constraint: AttrConstraint) -> object:
    """Return a key for the kind of attribute that parsing under `constraint` creates."""
    first = constraint.predicate
    while first and first[0] == "and":
        first = first[1]
    kind = "" if constraint.kind in ("def", "enum") else str(first)
    return constraint.kind, constraint.type, kind


def _attributes(op: Operation, variant: Variant) -> str | None:
    for name, constraint in variant.attributes.items():
        value = op.properties.get(name)
        if value is None and op.name.startswith("linalg."):
            # xDSL's named ops store their inherent attributes with the discardable ones.
            value = op.attributes.get(name)
        if value is None:
            if not isinstance(op, OdsOperation):
                if name in required_attributes(op.name) and name not in op.attributes:
                    return f"requires attribute '{name}'"
                continue
            written = op.attributes.get(name)
            if (
                written is not None
                and constraint.kind == "def"
                and _is_rejected(op, name, constraint, written)
            ):
                return f"attribute '{name}' failed to satisfy constraint: {constraint.summary}"
            if not constraint.optional and constraint.kind != "property" and written is None:
                return f"requires attribute '{name}'"
        elif constraint.kind in ("def", "enum"):
            continue  # The parser has checked the attribute, which has many spellings.
        elif constraint.summary and _is_rejected(op, name, constraint, value):
            return f"attribute '{name}' failed to satisfy constraint: {constraint.summary}"
    return None


def _lacking(op: Operation, variant: Variant) -> str | None:
    """Return an error if `op` lacks an attribute that both its own definition and `variant` require."""
    if isinstance(op, OdsOperation):
        for name in variant.attributes:
            if name not in op.properties and name not in op.attributes:
                both = [each.attributes.get(name) for each in (variant, op.variant)]
                if all(each and not each.optional and each.kind != "property" for each in both):
                    return f"requires attribute '{name}'"
    return None


def _is_rejected(op: Operation, name: str, constraint: AttrConstraint, value: Attribute) -> bool:
    """Return whether `constraint` rejects `value`.

    If its C++ predicate is unknown, the newest release's constraint is used if it has the same summary."""
    held = holds(constraint.predicate, value)
    if held is not None:
        return not held
    found = entry(op.name)
    newest = None if found is None else found.variants[-1].attributes.get(name)
    return (
        newest is not None
        and newest.summary == constraint.summary
        and holds(newest.predicate, value) is False
    )


def _values(kind: str, definitions: Sequence[tuple[str, TypeConstraint]], found: Groups) -> str | None:
    index = 0
    for number, (name, constraint) in enumerate(definitions):
        for value in found[name or f"#{number}"]:
            if holds(constraint.predicate, value.type) is False:
                several = "" if constraint.variadic in ("", "o") else "variadic of "
                return (
                    f"{kind} #{index} must be {several}{constraint.summary}, but got "
                    f"'{attribute_text(value.type)}'"
                )
            index += 1
    return None


def sized_regions(op: Operation, variant: Variant) -> str | None:
    """Return the error, without the op's name, for the number of blocks in the regions of `op`."""
    if any(each.variadic for each in variant.regions) or len(op.regions) != len(variant.regions):
        return None
    for index, (region, group) in enumerate(zip(op.regions, variant.regions, strict=True)):
        if group.blocks and len(region.blocks) != group.blocks:
            return (
                f"region #{index} ('{group.name}') failed to verify constraint: region with "
                f"{group.blocks} blocks"
            )
    return None


def _together(op: Operation, variant: Variant, operands: Groups, results: Groups) -> str | None:
    """Return the first error of a constraint that relates several values, in the order of the definition."""
    for kind, *rest in variant.rules:
        if kind == "same-types":
            known = [named_type(name, op, operands, results) for name in rest]
            if None not in known and _no_unknown(known) and len(set(known)) > 1:
                return f"failed to verify that all of {{{', '.join(rest)}}} have same type"
        elif kind == "same-elements":
            summary, *names = rest
            if op_holds(["alike", "element", *names], op, operands, results) is False:
                return f"failed to verify that {summary}"
        elif kind == "type-by":
            left, right, how, summary = rest
            source = named_type(left, op, operands, results)
            target = named_type(right, op, operands, results)
            if source is None or target is None or not summary or not _no_unknown((source, target)):
                continue
            made = transformed(how, source)
            if made is not None and made != target:
                return f"failed to verify that {summary}"
        elif kind == "holds":
            summary, predicate = rest
            if summary and op_holds(predicate, op, operands, results) is False:
                return f"failed to verify that {summary}"
    return None


def _no_unknown(types: Sequence[Attribute | None]) -> bool:
    return not any(isinstance(type, UnknownType) for type in types)


def _by_traits(op: Operation, variant: Variant) -> str | None:
    """Return the first error of a C++ trait that constrains the types of all values."""
    of_operands, of_results = ([value.type for value in values] for values in (op.operands, op.results))
    types = [*of_operands, *of_results]
    if not _no_unknown(types):
        return None
    traits = variant.traits
    if "SameOperandsAndResultType" in traits and not (_same_elements(types) and same_shapes(types)):
        return "requires the same type for all operands and results"
    if "SameOperandsAndResultElementType" in traits and not _same_elements(types):
        return "requires the same element type for all operands and results"
    if "SameOperandsAndResultShape" in traits and not same_shapes(types):
        return "requires the same shape for all operands and results"
    if "SameOperandsElementType" in traits and not _same_elements(of_operands):
        return "requires the same element type for all operands"
    if "SameOperandsShape" in traits and not same_shapes(of_operands):
        return "requires the same shape for all operands"
    if "SameTypeOperands" in traits and len(set(of_operands)) > 1:
        return "requires all operands to have the same type"
    if "Elementwise" in traits:
        return _elementwise(of_operands, of_results)
    return None


def _elementwise(operands: Sequence[Attribute], results: Sequence[Attribute]) -> str | None:
    if any("." in type.name or isinstance(type, UnregisteredAttr) for type in (*operands, *results)):
        return None
    taken, made = (
        [type for type in types if type.name in ("vector", "tensor", "unranked_tensor")]
        for types in (operands, results)
    )
    if made and not taken:
        return "if a result is non-scalar, then at least one operand must be non-scalar"
    if taken and not made:
        return "if an operand is non-scalar, then there must be at least one non-scalar result"
    if made and len(made) < len(results):
        return "if an operand is non-scalar, then all results must be non-scalar"
    if made and (len({type.name for type in (*taken, *made)}) > 1 or not same_shapes([*taken, *made])):
        return "all non-scalar operands/results must have the same shape and base type"
    return None


@lru_cache(maxsize=4096)
def _is_alike(kind: type[Operation], variant: Variant) -> bool:
    """Return whether a handwritten class has the same operand and result groups as the definition."""
    if not issubclass(kind, IRDLOperation):
        return False
    definition = kind.get_irdl_definition()
    ours, theirs = (_labels(each) for each in (definition.operands, variant.operands))
    if ours != theirs and sorted(ours) == sorted(theirs):
        return False  # The class orders the groups differently.
    return [isinstance(each, VariadicDef) for _, each in definition.operands] == [
        bool(each.variadic) for _, each in variant.operands
    ] and [isinstance(each, VariadicDef) for _, each in definition.results] == [
        bool(each.variadic) for _, each in variant.results
    ]


def _labels(definitions: Sequence[tuple[str, object]]) -> list[str]:
    return [name.replace("_", "").lower() for name, _ in definitions]


def _same_elements(types: Sequence[Attribute]) -> bool:
    """Return whether all element types are equal; true if a dialect's type has an unknown element type."""
    elements: set[Attribute] = set()
    for type in types:
        element = getattr(type, "element_type", None)
        if element is None and (isinstance(type, UnregisteredAttr) or "." in type.name):
            return True
        elements.add(element if isinstance(element, Attribute) else type)
    return len(elements) <= 1


def _parent(op: Operation, variant: Variant) -> str | None:
    for names in variant.rule("parent"):
        parent = op.parent_op()
        if any(name.partition(".")[0] != op.dialect_name() for name in names):
            continue  # MLIR names C++ classes, which are ambiguous across dialects.
        if isinstance(parent, OpaqueOp) and not parent.is_error and entry(parent.op_name) is not None:
            if parent.op_name in names:
                continue
        elif isinstance(parent, OpaqueOp | UnregisteredOp) or (parent is not None and parent.name in names):
            continue
        wanted = f"to be one of '{', '.join(names)}'" if len(names) > 1 else f"'{''.join(names)}'"
        return f"expects parent op {wanted}"
    return None


def is_graph(op: Operation) -> bool:
    """Return whether the regions of `op` may be graph regions, in which the order of ops is irrelevant."""
    variant = cast("Variant | None", getattr(op, "variant", None))
    return variant is not None and bool(variant.traits & {"HasOnlyGraphRegion", "RegionKindInterface"})
