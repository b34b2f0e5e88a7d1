"""Makes an op of the parts that were read: groups of operands, and the types that the text leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
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
from gpuasync_lsp.syntax.ods.table import TypeConstraint, Variant
from gpuasync_lsp.syntax.opaque import UNKNOWN


def make_op(parser: Parser, parts: Parts, elements: Sequence[Element], kind: type[Operation]) -> Operation:
    """Return the op of a format; raises a ParseError where numbers of operands and types differ."""
    return _Maker(parser, parts, elements).make(kind)


class _Maker:
    """Makes one op of its parts."""

    def __init__(self, parser: Parser, parts: Parts, elements: Sequence[Element]) -> None:
        self._parser = parser
        self._variant = parts.variant
        self._parts = parts
        self._elements = elements
        self._written: frozenset[str] = frozenset()
        """The names whose types the text says."""

    def make(self, kind: type[Operation]) -> Operation:
        """Return the op."""
        variant = self._variant
        names = self._by_name()
        types = self._operand_types(names)
        operands: list[SSAValue] = []
        for name, _ in variant.operands:
            for operand, type in zip(names[name], types[name], strict=True):
                operands.append(self._parser.resolve_operand(operand, type))
        sizes = [len(names[name]) for name, _ in variant.operands]
        result_types, result_sizes = self._result_types(types)
        if "AttrSizedOperandSegments" in variant.traits:
            self._parts.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
        if "AttrSizedResultSegments" in variant.traits:
            self._parts.properties["resultSegmentSizes"] = DenseArrayBase.from_list(i32, result_sizes)
        return kind.create(
            operands=operands,
            result_types=result_types,
            properties=self._parts.properties,
            attributes=self._parts.attributes,
            regions=[
                region for group in variant.regions for region in self._region(group.name, group.variadic)
            ],
            successors=[
                block for group in variant.successors for block in self._parts.successors.get(group.name, ())
            ],
        )

    def _region(self, name: str, variadic: bool) -> list[Region]:
        found = self._parts.regions.get(name)
        if found is None:
            return [] if variadic else [Region()]
        return found

    def _by_name(self) -> dict[str, list[UnresolvedOperand]]:
        definitions = self._variant.operands
        if self._parts.all_operands is None:
            return {name: self._parts.names.get(name, []) for name, _ in definitions}
        several = [name for name, each in definitions if each.variadic]
        rest = len(self._parts.all_operands) - (len(definitions) - len(several))
        if len(several) > 1 or rest < 0 or (rest and not several):
            raise NotImplementedError("operands in groups")
        found: dict[str, list[UnresolvedOperand]] = {}
        at = 0
        for name, each in definitions:
            size = rest if each.variadic else 1
            found[name] = self._parts.all_operands[at : at + size]
            at += size
        return found

    def _operand_types(self, names: dict[str, list[UnresolvedOperand]]) -> dict[str, list[Attribute]]:
        if self._parts.all_operand_types is not None:
            total = sum(map(len, names.values()))
            if total != len(self._parts.all_operand_types):
                self._mismatch(total, len(self._parts.all_operand_types))
            at = 0
            for name, _ in self._variant.operands:
                self._parts.types[name] = self._parts.all_operand_types[at : at + len(names[name])]
                at += len(names[name])
        self._infer()
        found: dict[str, list[Attribute]] = {}
        for name, constraint in self._variant.operands:
            count = len(names[name])
            known = self._parts.types.get(name)
            if known is None:
                known = list[Attribute]([self._only_type(constraint) or UNKNOWN]) * count
            elif len(known) != count:
                if constraint.variadic and len(known) == 1 and name not in self._written:
                    known = known * count
                else:
                    self._mismatch(count, len(known))
            found[name] = known
        return found

    def _mismatch(self, operands: int, types: int) -> None:
        self._parser.raise_error(
            f"number of operands and types do not match: got {operands} operands and {types} types"
        )

    def _infer(self) -> None:
        """Find the types that the text leaves out by the traits that tie them to others."""
        variant, types = self._variant, self._parts.types
        self._written = frozenset(types)
        labels, variadic, together = _ties(variant)
        if self._parts.all_result_types and len(self._parts.all_result_types) == len(variant.results):
            for (name, _), type in zip(variant.results, self._parts.all_result_types, strict=True):
                types.setdefault(name, [type])
        for _ in range(3):
            if all(name in types for name in labels):
                return
            for name, constraint in (*variant.operands, *variant.results):
                if constraint.built and not constraint.variadic and name not in self._parts.types:
                    self._parts.types[name] = [type_of_text(self._parser, constraint.built)]
            for group in together:
                known = next(
                    (self._parts.types[name][0] for name in group if self._parts.types.get(name)), None
                )
                known = known or next(filter(None, map(self._type_of_attribute, group)), None)
                if known is not None:
                    several = next(
                        filter(None, (self._parts.types.get(name) for name in group if name in variadic)),
                        [known],
                    )
                    for name in group:
                        if name in labels:
                            self._parts.types.setdefault(name, list(several) if name in variadic else [known])
            for left, right, how, *_ in variant.rule("type-by"):
                source = (self._parts.types.get(left) or [self._type_of_attribute(left)])[0]
                if source is not None and right in labels and right not in self._parts.types:
                    made = transformed(how, source)
                    if made is not None:
                        self._parts.types[right] = [made]

    def _only_type(self, constraint: TypeConstraint) -> Attribute | None:
        """Return the one type that a value can have; None if there are several."""
        if constraint.built:
            return type_of_text(self._parser, constraint.built)
        kind, name, *_ = constraint.predicate or ("", "")
        of_dialect = self._parser.ctx.get_optional_type(name[1:]) if kind == "is" and name[0] == "!" else None
        if of_dialect is None or not issubclass(of_dialect, ParametrizedAttribute):
            return None
        return None if of_dialect.get_irdl_definition().parameters else of_dialect.new(())

    def _type_of_attribute(self, name: str) -> Attribute | None:
        value = self._parts.properties.get(name)
        if not isinstance(value, IntegerAttr | FloatAttr):
            return None
        return cast("IntegerAttr[IntegerType]", value).type

    def _result_types(self, operands: dict[str, list[Attribute]]) -> tuple[list[Attribute], list[int]]:
        for name, types in operands.items():
            if types and UNKNOWN not in types:
                self._parts.types.setdefault(name, types)
        if self._parts.all_result_types is not None:
            sizes = [1] * len(self._variant.results)
            return self._parts.all_result_types, sizes
        self._infer()
        found: list[Attribute] = []
        sizes: list[int] = []
        for name, constraint in self._variant.results:
            known = self._parts.types.get(name)
            if known is None:
                if constraint.variadic and not _says_type_of(self._elements, name):
                    raise NotImplementedError("results whose number is inferred")
                # What the format can say and the text does not is no result.
                known = [] if constraint.variadic else [self._only_type(constraint) or UNKNOWN]
            elif constraint.variadic == "" and len(known) > 1:
                known = known[:1]
            found += known
            sizes.append(len(known))
        return found, sizes


@lru_cache(maxsize=4096)
def _ties(variant: Variant) -> tuple[tuple[str, ...], frozenset[str], tuple[tuple[str, ...], ...]]:
    """Return the operands and results, those of any number among them, and groups of one type."""
    values = (*variant.operands, *variant.results)
    labels = tuple(name for name, _ in values)
    together = [tuple(map(str, rule)) for rule in variant.rule("same-types")]
    if "SameOperandsAndResultType" in variant.traits:
        together.append(labels)
    if "SameTypeOperands" in variant.traits:
        together.append(tuple(name for name, _ in variant.operands))
    return labels, frozenset(name for name, each in values if each.variadic == "v"), tuple(together)


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
