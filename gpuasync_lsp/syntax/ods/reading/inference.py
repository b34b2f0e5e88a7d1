"""How an op is read: its text, then groups of operands, and the types that the text leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnrankedTensorType,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand

from gpuasync_lsp.syntax.ods.formats import Directive, Element, Optional, Variable
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.ods.reading.custom import type_of_text
from gpuasync_lsp.syntax.ods.reading.text import Step, steps_of
from gpuasync_lsp.syntax.ods.table import TypeConstraint, Variant
from gpuasync_lsp.syntax.opaque import UNKNOWN


class Reading:
    """How the custom assembly of an op is read: what the definition and the format say, worked out once."""

    def __init__(self, variant: Variant, elements: Sequence[Element]) -> None:
        self.variant = variant
        self._elements = elements
        self._steps: tuple[Step, ...] | None = None
        values = (*variant.operands, *variant.results)
        self._labels = tuple(name for name, _ in values)
        """The operands and results."""
        self._variadic = frozenset(name for name, each in values if each.variadic == "v")
        self._built = tuple((name, each.built) for name, each in values if each.built and not each.variadic)
        """Those that can be of one type only, as text."""
        self._together = _ties(variant)
        self._type_by = tuple(variant.rule("type-by"))
        self._segments = tuple(
            kind for kind in ("operand", "result") if f"AttrSized{kind.title()}Segments" in variant.traits
        )
        self.terminators = tuple(name for (name,) in variant.rule("terminator"))
        """The op that ends a region whose text does not say so."""

    def read(self, parser: Parser, parts: Parts | None = None) -> Parts:
        """Read the text; raises a ParseError, or NotImplementedError for what is not understood.

        What is read goes to `parts`, which says how far it came where this raises.
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
        """Return the op; raises a ParseError where numbers of operands and types differ."""
        variant, types_of_parts = self.variant, parts.types
        names = parts.names if parts.all_operands is None else self._by_name(parts.all_operands)
        if parts.all_operand_types is not None:
            self._divide(parser, parts, names)
        written = frozenset(types_of_parts)
        self._infer(parser, parts)
        uses: list[tuple[Sequence[UnresolvedOperand], Sequence[Attribute]]] = []
        for name, constraint in variant.operands:
            group = names.get(name, ())
            types = types_of_parts.get(name)
            if types is None:
                only = self._only_type(parser, constraint) if group else None
                types = [only or UNKNOWN] * len(group)
                if only is not None:
                    types_of_parts[name] = types
            elif len(types) != len(group):
                if not (constraint.variadic and len(types) == 1 and name not in written):
                    _mismatch(parser, len(group), len(types))
                types = types * len(group)
            uses.append((group, types))
        operands: list[SSAValue] = []
        for group, types in uses:
            for operand, type in zip(group, types, strict=True):
                operands.append(parser.resolve_operand(operand, type))
        result_types, result_sizes = self._result_types(parser, parts)
        for segments in self._segments:
            sizes = [len(group) for group, _ in uses] if segments == "operand" else result_sizes
            parts.properties[f"{segments}SegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
        return kind.create(
            operands=operands,
            result_types=result_types,
            properties=parts.properties,
            attributes=parts.attributes,
            regions=[
                region
                for group in variant.regions
                for region in _regions_of(parts, group.name, group.variadic)
            ],
            successors=[
                block for group in variant.successors for block in parts.successors.get(group.name, ())
            ],
        )

    def _by_name(self, operands: list[UnresolvedOperand]) -> dict[str, list[UnresolvedOperand]]:
        """Return operands that are written together by the names of their groups."""
        definitions = self.variant.operands
        several = [name for name, each in definitions if each.variadic]
        rest = len(operands) - (len(definitions) - len(several))
        if len(several) > 1 or rest < 0 or (rest and not several):
            raise NotImplementedError("operands in groups")
        found: dict[str, list[UnresolvedOperand]] = {}
        at = 0
        for name, each in definitions:
            size = rest if each.variadic else 1
            found[name] = operands[at : at + size]
            at += size
        return found

    def _divide(self, parser: Parser, parts: Parts, names: dict[str, list[UnresolvedOperand]]) -> None:
        """Give the groups of operands their part of the types that are written together."""
        types = parts.all_operand_types or []
        total = sum(map(len, names.values()))
        if total != len(types):
            _mismatch(parser, total, len(types))
        at = 0
        for name, _ in self.variant.operands:
            size = len(names.get(name, ()))
            parts.types[name] = types[at : at + size]
            at += size

    def _infer(self, parser: Parser, parts: Parts) -> None:
        """Find the types that the text leaves out by the traits that tie them to others."""
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
                known = next((types[name][0] for name in group if types.get(name)), None)
                known = known or next(filter(None, (_type_of_attribute(parts, each) for each in group)), None)
                if known is not None:
                    several = next(
                        filter(None, (types.get(name) for name in group if name in variadic)), [known]
                    )
                    for name in group:
                        if name in labels:
                            types.setdefault(name, list(several) if name in variadic else [known])
            for left, right, how, *_ in self._type_by:
                source = (types.get(left) or [_type_of_attribute(parts, left)])[0]
                if source is not None and right in labels and right not in types:
                    made = transformed(how, source)
                    if made is not None:
                        types[right] = [made]

    def _only_type(self, parser: Parser, constraint: TypeConstraint) -> Attribute | None:
        """Return the one type that a value can have; None if there are several."""
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
                if constraint.variadic and not _says_type_of(self._elements, name):
                    raise NotImplementedError("results whose number is inferred")
                # What the format can say and the text does not is no result.
                known = [] if constraint.variadic else [self._only_type(parser, constraint) or UNKNOWN]
            elif constraint.variadic == "" and len(known) > 1:
                known = known[:1]
            found += known
            sizes.append(len(known))
        return found, sizes


def _regions_of(parts: Parts, name: str, variadic: bool) -> list[Region]:
    found = parts.regions.get(name)
    if found is None:
        return [] if variadic else [Region()]
    return found


def _mismatch(parser: Parser, operands: int, types: int) -> None:
    parser.raise_error(
        f"number of operands and types do not match: got {operands} operands and {types} types"
    )


def _type_of_attribute(parts: Parts, name: str) -> Attribute | None:
    value = parts.properties.get(name)
    if not isinstance(value, IntegerAttr | FloatAttr):
        return None
    return cast("IntegerAttr[IntegerType]", value).type


def _ties(variant: Variant) -> tuple[tuple[str, ...], ...]:
    """Return groups of operands, results and attributes of one type."""
    together = [tuple(map(str, rule)) for rule in variant.rule("same-types")]
    if "SameOperandsAndResultType" in variant.traits:
        together.append(tuple(name for name, _ in (*variant.operands, *variant.results)))
    if "SameTypeOperands" in variant.traits:
        together.append(tuple(name for name, _ in variant.operands))
    return tuple(together)


def _says_type_of(elements: Iterable[Element], name: str) -> bool:
    """Tell whether a format can say `type($name)`."""
    for element in elements:
        match element:
            case Directive(name="type"):
                if Variable(name) in element.arguments:
                    return True
            case Optional():
                if _says_type_of((*element.then, *element.otherwise), name):
                    return True
            case _:
                pass
    return False


def transformed(how: str, type: Attribute) -> Attribute | None:
    """Return the type that `how` makes of `type`; None where that is not known."""
    if how == "same":
        return type
    if how == "element":
        element = getattr(type, "type" if type.name == "llvm.vec" else "element_type", None)
        return element if isinstance(element, Attribute) else None
    if how == "i1-like":
        if isinstance(type, VectorType):
            vector = cast("VectorType[Attribute]", type)
            return VectorType(i1, vector.get_shape(), vector.scalable_dims)
        if isinstance(type, TensorType):
            tensor = cast("TensorType[Attribute]", type)
            return TensorType(i1, tensor.get_shape(), tensor.encoding)
        return UnrankedTensorType(i1) if isinstance(type, UnrankedTensorType) else i1
    return None
