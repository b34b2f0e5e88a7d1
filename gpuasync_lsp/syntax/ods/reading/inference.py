"""Parses an op with its format, groups the operands, and infers types that the text omits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    i32,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, Region
from xdsl.parser import Parser, UnresolvedOperand

from gpuasync_lsp.syntax.dialects.assembly import i1_like
from gpuasync_lsp.syntax.ods.custom.parts import typed_names
from gpuasync_lsp.syntax.ods.formats import AnyOrder, Directive, Element, Optional, Variable
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.ods.reading.custom import type_of_text
from gpuasync_lsp.syntax.ods.reading.text import Step, steps_of
from gpuasync_lsp.syntax.ods.table import TypeConstraint, Variant
from gpuasync_lsp.syntax.opaque import UNKNOWN


class Reading:
    """The parser for the custom assembly of one definition, computed once from its format."""

    def __init__(self, variant: Variant, elements: Sequence[Element]) -> None:
        self.variant = variant
        self._elements = elements
        self._steps: tuple[Step, ...] | None = None
        values = (*variant.operands, *variant.results)
        self._labels = tuple(name for name, _ in values)
        """The names of operands and results."""
        self._variadic = frozenset(name for name, each in values if each.variadic == "v")
        self._built = tuple((name, each.built) for name, each in values if each.built and not each.variadic)
        """The name and type of each value that can have only one type."""
        self._together = _ties(variant)
        self._type_by = tuple(variant.rule("type-by"))
        self._segments = tuple(
            kind for kind in ("operand", "result") if f"AttrSized{kind.title()}Segments" in variant.traits
        )
        self._plan = _plan_of(variant, elements, self._together)
        self.terminators = tuple(name for (name,) in variant.rule("terminator"))
        """The implicit terminator of regions."""

    def read(self, parser: Parser, parts: Parts | None = None) -> Parts:
        """Parse the text after the op's name. Raises a ParseError, or NotImplementedError if it is not
        supported.

        The results are added to `parts`; after an error, `parts` shows how much was parsed.
        """
        steps = self._steps
        if steps is None:
            steps = self._steps = steps_of(self.variant, self._elements)
        if parts is None:
            parts = Parts(self.variant, parser.pos)
        for step in steps:
            step(parser, parts)
        return parts

    def make(self, parser: Parser, parts: Parts, kind: type[Operation]) -> Operation:
        """Create the op from `parts`. Raises a ParseError if the numbers of operands and types differ."""
        variant, types_of_parts = self.variant, parts.types
        if (made := self._make_by_plan(parser, parts, kind)) is not None:
            return made
        names = parts.names if parts.all_operands is None else self._by_name(parser, parts)
        if parts.all_operand_types is not None:
            self._divide(parser, parts, names)
        written = frozenset(types_of_parts)
        self._infer(parser, parts)
        uses: list[tuple[UnresolvedOperand, Attribute]] = []
        sizes: list[int] = []
        for name, constraint in variant.operands:
            group: Sequence[UnresolvedOperand] = names.get(name, ())
            types: Sequence[Attribute] | None = types_of_parts.get(name)
            if types is None:
                only = self._only_type(parser, constraint) if group else None
                types = [only or UNKNOWN] * len(group)
                if only is not None:
                    types_of_parts[name] = types
            elif len(types) != len(group):
                if not (constraint.variadic and len(types) == 1 and name not in written):
                    _mismatch(parser, parts, len(group), len(types))
                types = [*types] * len(group)
            uses += zip(group, types, strict=True)
            sizes.append(len(group))
        operands = [parser.resolve_operand(operand, type) for operand, type in uses]
        result_types, result_sizes = self._result_types(parser, parts)
        for segments in self._segments:
            of_some = sizes if segments == "operand" else result_sizes
            parts.properties[f"{segments}SegmentSizes"] = DenseArrayBase.from_list(i32, of_some)
        return kind.create(
            operands=operands,
            result_types=result_types,
            properties=parts.properties,
            attributes=parts.attributes,
            regions=[
                region
                for group in variant.regions
                for region in _regions_of(parts, group.name, group.variadic)
            ]
            if variant.regions
            else (),
            successors=[
                block for group in variant.successors for block in parts.successors.get(group.name, ())
            ]
            if variant.successors
            else (),
        )

    def _make_by_plan(self, parser: Parser, parts: Parts, kind: type[Operation]) -> Operation | None:
        """Create the op with the plan; None unless the text has exactly the types that the plan requires."""
        plan, types = self._plan, parts.types
        if plan is None or len(types) != plan.written:
            return None
        names = parts.names if parts.all_operands is None else self._by_name(parser, parts)
        uses: list[tuple[UnresolvedOperand, Attribute]] = []
        for name, way in plan.operands:
            group = names.get(name)
            if group:
                type = way(parser, types)
                if type is None:
                    return None
                for operand in group:
                    uses.append((operand, type))
        results: list[Attribute] = []
        for way in plan.results:
            type = way(parser, types)
            if type is None:
                return None
            results.append(type)
        if self._segments:
            sizes = [len(names.get(name, ())) for name, _ in plan.operands]
            parts.properties[_OPERAND_SIZES] = DenseArrayBase.from_list(i32, sizes)
        return kind.create(
            operands=[parser.resolve_operand(operand, type) for operand, type in uses],
            result_types=results,
            properties=parts.properties,
            attributes=parts.attributes,
        )

    def _by_name(self, parser: Parser, parts: Parts) -> dict[str, list[UnresolvedOperand]]:
        """Split the list of all operands into groups, by group name."""
        definitions, operands = self.variant.operands, parts.all_operands or []
        several = [name for name, each in definitions if each.variadic]
        rest = len(operands) - (len(definitions) - len(several))
        if rest < 0 or (rest and not several):
            _mismatch(parser, parts, len(operands), len(definitions))
        if len(several) > 1:
            raise NotImplementedError("operands in several variadic groups")
        found: dict[str, list[UnresolvedOperand]] = {}
        at = 0
        for name, each in definitions:
            size = rest if each.variadic else 1
            found[name] = operands[at : at + size]
            at += size
        return found

    def _divide(self, parser: Parser, parts: Parts, names: dict[str, list[UnresolvedOperand]]) -> None:
        """Split the list of all operand types into groups."""
        types = parts.all_operand_types or []
        total = sum(map(len, names.values()))
        if total != len(types):
            _mismatch(parser, parts, total, len(types))
        at = 0
        for name, _ in self.variant.operands:
            size = len(names.get(name, ()))
            parts.types[name] = types[at : at + size]
            at += size

    def _infer(self, parser: Parser, parts: Parts) -> None:
        """Infer omitted types from explicit ones, using the op's traits."""
        types, labels, variadic = parts.types, self._labels, self._variadic
        results = self.variant.results
        if parts.all_result_types and len(parts.all_result_types) == len(results):
            for (name, _), type in zip(results, parts.all_result_types, strict=True):
                types.setdefault(name, [type])
        for _ in range(3):
            for name in labels:
                if name not in types:
                    break
            else:
                return
            for name, built in self._built:
                if name not in types:
                    types[name] = [type_of_text(parser, built)]
            for group in self._together:
                known = None
                for name in group:
                    if found := types.get(name):
                        known = found[0]
                        break
                else:
                    for name in group:
                        known = known or _type_of_attribute(parts, name)
                if known is not None:
                    several = [known]
                    if variadic:
                        several = next(
                            filter(None, (types.get(each) for each in group if each in variadic)), several
                        )
                    for name in group:
                        if name in labels and name not in types:
                            types[name] = several if name in variadic else [known]
            for left, right, how, *_ in self._type_by:
                source = (types.get(left) or [_type_of_attribute(parts, left)])[0]
                if source is not None and right in labels and right not in types:
                    made = transformed(how, source)
                    if made is not None:
                        types[right] = [made]

    def _only_type(self, parser: Parser, constraint: TypeConstraint) -> Attribute | None:
        """Return the only type that satisfies `constraint`; None if there are several."""
        if constraint.built:
            return type_of_text(parser, constraint.built)
        kind, name, *_ = constraint.predicate or ("", "")
        of_dialect = parser.ctx.get_optional_type(name[1:]) if kind == "is" and name[0] == "!" else None
        if of_dialect is None or not issubclass(of_dialect, ParametrizedAttribute):
            return None
        return None if of_dialect.get_irdl_definition().parameters else of_dialect.new(())

    def _result_types(self, parser: Parser, parts: Parts) -> tuple[list[Attribute], list[int]]:
        results = self.variant.results
        if parts.all_result_types is not None:
            return parts.all_result_types, [1] * len(results)
        self._infer(parser, parts)
        found: list[Attribute] = []
        sizes: list[int] = []
        for name, constraint in results:
            known = parts.types.get(name)
            if known is None:
                if constraint.variadic and not _prints_type_of(self._elements, name):
                    raise NotImplementedError("inferred number of results")
                # A variadic result without types in the text is empty.
                known = [] if constraint.variadic else [self._only_type(parser, constraint) or UNKNOWN]
            elif constraint.variadic == "" and len(known) > 1:
                known = known[:1]
            found += known
            sizes.append(len(known))
        return found, sizes


_OPERAND_SIZES = "operandSegmentSizes"
_Way = Callable[[Parser, Mapping[str, list[Attribute]]], Attribute | None]
"""Computes a type from the explicit types; None if it is unknown."""


class _Plan(NamedTuple):
    """Computes all types of an op from types that its text always contains, without a search per op."""

    written: int
    """The number of types that the text contains."""
    operands: tuple[tuple[str, _Way], ...]
    results: tuple[_Way, ...]


def _plan_of(
    variant: Variant, elements: Sequence[Element], together: Sequence[Sequence[str]]
) -> _Plan | None:
    """Return the plan for a definition; None if types depend on optional parts of the text."""
    values = (*variant.operands, *variant.results)
    variadic = {name for name, each in values if each.variadic}
    typed = [name for each in elements for name in _typed_by(each)]
    is_plain = not (variant.regions or variant.successors or _prints_types_elsewhere(elements))
    if not is_plain or variadic.intersection(typed) or any(each.variadic for _, each in variant.results):
        return None
    ways: dict[str, _Way] = {name: _as_written(name) for name in typed}
    ways |= {name: _as_built(each.built) for name, each in values if each.built and name not in ways}
    for _ in range(3):
        for group in together:
            known = next((ways[name] for name in group if name in ways), None)
            if known is not None:
                ways |= dict.fromkeys((name for name in group if name not in ways), known)
        for left, right, how, *_ in variant.rule("type-by"):
            if left in ways and right not in ways:
                ways[right] = _as_transformed(how, ways[left])
    if any(name not in ways for name, _ in values):
        return None
    operands = tuple((name, ways[name]) for name, _ in variant.operands)
    return _Plan(len(typed), operands, tuple(ways[name] for name, _ in variant.results))


def _typed_by(element: Element) -> Sequence[str]:
    """Return the operands and results whose types `element` always prints."""
    match element:
        case Directive(name="qualified", arguments=(inner,)):
            return _typed_by(inner)
        case Directive(name="type", arguments=(Variable(name=name),)):
            return [name]
        case Directive(function="ConditionType" | "Loaded" | "Stored"):
            return typed_names(element.arguments)
        case _:
            return ()


def _prints_types_elsewhere(elements: Sequence[Element]) -> bool:
    """Return whether a format may print types in elements that `_typed_by` does not cover."""
    return any(
        (
            isinstance(each, Directive)
            and each.name in ("custom", "functional-type", "type", "regions", "successors")
            and not (_typed_by(each) or each.function in _WITHOUT_TYPES)
        )
        or (isinstance(each, Optional) and _prints_any_type((*each.then, *each.otherwise)))
        or (isinstance(each, AnyOrder) and any(map(_prints_any_type, each.clauses)))
        for each in elements
    )


def _prints_any_type(elements: Sequence[Element]) -> bool:
    return any(map(_typed_by, elements)) or _prints_types_elsewhere(elements)


_WITHOUT_TYPES = frozenset({"DynamicIndexList", "Overflow", "QuotedCase", "Word"})
"""The `custom` directives that print no types."""


def _as_written(name: str) -> _Way:
    return lambda _, types: types[name][0]


def _as_built(text: str) -> _Way:
    return lambda parser, _: type_of_text(parser, text)


def _as_transformed(how: str, way: _Way) -> _Way:
    def transform(parser: Parser, types: Mapping[str, list[Attribute]]) -> Attribute | None:
        source = way(parser, types)
        return None if source is None else transformed(how, source)

    return transform


def _regions_of(parts: Parts, name: str, variadic: bool) -> list[Region]:
    found = parts.regions.get(name)
    if found is None:
        return [] if variadic else [Region()]
    return found


def _mismatch(parser: Parser, parts: Parts, operands: int, types: int) -> None:
    message = f"number of operands and types do not match: got {operands} operands and {types} types"
    parser.raise_error(message, parts.start)


def _type_of_attribute(parts: Parts, name: str) -> Attribute | None:
    value = parts.properties.get(name)
    if not isinstance(value, IntegerAttr | FloatAttr):
        return None
    return cast("IntegerAttr[IntegerType]", value).type


def _ties(variant: Variant) -> tuple[tuple[str, ...], ...]:
    """Return groups of operands, results and attributes that must have the same type."""
    together = [tuple(map(str, rule)) for rule in variant.rule("same-types")]
    if "SameOperandsAndResultType" in variant.traits:
        together.append(tuple(name for name, _ in (*variant.operands, *variant.results)))
    if "SameTypeOperands" in variant.traits:
        together.append(tuple(name for name, _ in variant.operands))
    return tuple(together)


def _prints_type_of(elements: Iterable[Element], name: str) -> bool:
    for element in elements:
        match element:
            case Directive(name="type"):
                if Variable(name) in element.arguments:
                    return True
            case Optional():
                if _prints_type_of((*element.then, *element.otherwise), name):
                    return True
            case _:
                pass
    return False


def transformed(how: str, type: Attribute) -> Attribute | None:
    """Apply the function called `how` in the ODS tables to `type`; None if the result is unknown."""
    if how == "same":
        return type
    if how == "element":
        element = getattr(type, "type" if type.name == "llvm.vec" else "element_type", None)
        return element if isinstance(element, Attribute) else None
    return i1_like(type) if how == "i1-like" else None
