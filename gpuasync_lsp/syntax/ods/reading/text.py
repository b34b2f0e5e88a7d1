"""Reads the text of an op by its format, as MLIR's generated parsers do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType, UnitAttr, UnrankedMemRefType
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.dialects.assembly import refuse, typed
from gpuasync_lsp.syntax.ods.custom import DIRECTIVES
from gpuasync_lsp.syntax.ods.formats import (
    AnyOrder,
    Directive,
    Element,
    Literal,
    Optional,
    Space,
    Text,
    Variable,
)
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.ods.reading.attributes import read_attribute, read_optional_attribute, read_sugared
from gpuasync_lsp.syntax.ods.reading.custom import (
    read_async,
    read_dimensions,
    read_index_list,
    read_match_dims,
    read_reduction,
    read_semi_function_type,
    read_sequence_operands,
    read_types,
)
from gpuasync_lsp.syntax.ods.table import TypeConstraint, Variant
from gpuasync_lsp.syntax.opaque import UnknownType


def read_text(parser: Parser, variant: Variant, elements: Sequence[Element]) -> Parts:
    """Read the text of an op; raises a ParseError, or NotImplementedError for what is not understood."""
    parts = Parts(variant, start=parser.pos)
    _Reader(parser, parts).read(elements)
    return parts


class _Reader:
    """Reads the text of one op into its parts."""

    def __init__(self, parser: Parser, parts: Parts) -> None:
        self._parser = parser
        self._parts = parts
        self._variant = parts.variant
        self._operands = dict(parts.variant.operands)

    def read(self, elements: Sequence[Element]) -> None:
        """Read what `elements` say."""
        for element in elements:
            self._element(element)

    def _element(self, element: Element) -> None:
        match element:
            case Literal():
                if not self._literal(element.text):
                    said = f"expected '{element.text}'"
                    if element.text[0].isalpha():  # a parser of a keyword says whose it is
                        refuse(self._parser, self._variant.name, said)
                    self._parser.raise_error(said)
            case Space() | Text():
                pass
            case Variable():
                self._variable(element.name)
            case Optional():
                self._optional(element)
            case AnyOrder():
                self._any_order(element)
            case Directive():
                self._directive(element)

    def _literal(self, text: str) -> bool:
        parser: Any = self._parser
        token = parser._current_token
        if text[0].isalpha() or text[0] == "_":
            return parser.parse_optional_keyword(text) is not None
        if token.text == text:
            return parser.parse_optional_punctuation(text) is not None
        # What MLIR reads as one mark, several tokens here: `::`, `[]`.
        content, start = parser.lexer.input.content, parser.pos
        if len(text) > 1 and content.startswith(text, start):
            parser._resume_from(start + len(text))
            return True
        return False

    def _variable(self, name: str) -> None:
        parser = self._parser
        if name in self._operands:
            several = self._operands[name].variadic
            if several == "v":
                self._parts.names[name] = self._operand_list()
            elif several == "o":
                found = parser.parse_optional_unresolved_operand()
                self._parts.names[name] = [found] if found is not None else []
            else:
                self._parts.names[name] = [parser.parse_unresolved_operand()]
        elif name in self._variant.attributes:
            self._parts.properties[name] = read_attribute(parser, self._variant.attributes[name])
        elif (
            region := next((each for each in self._variant.regions if each.name == name), None)
        ) is not None:
            if not region.variadic:
                self._parts.regions[name] = [parser.parse_region()]
                return
            found_regions: list[Region] = []
            first = parser.parse_optional_region()
            while first is not None:
                found_regions.append(first)
                first = parser.parse_region() if parser.parse_optional_punctuation(",") is not None else None
            self._parts.regions[name] = found_regions
        elif any(each.name == name for each in self._variant.successors):
            self._parts.successors[name] = self._successor_list(
                next(each.variadic for each in self._variant.successors if each.name == name)
            )
        else:
            raise NotImplementedError(name)

    def _successor_list(self, several: bool) -> list[Block]:
        parser = self._parser
        if not several:
            return [parser.parse_successor()]
        found: list[Block] = []
        each = parser.parse_optional_successor()
        while each is not None:
            found.append(each)
            each = parser.parse_successor() if parser.parse_optional_punctuation(",") is not None else None
        return found

    def _operand_list(self) -> list[UnresolvedOperand]:
        parser = self._parser
        first = parser.parse_optional_unresolved_operand()
        if first is None:
            return []
        found = [first]
        while parser.parse_optional_punctuation(",") is not None:
            found.append(parser.parse_unresolved_operand())
        return found

    def _optional(self, group: Optional) -> None:
        elements = [each for each in group.then if not isinstance(each, Space)]
        first = elements[0]
        if not self._begins(first):
            self.read(group.otherwise)
            return
        anchor = group.anchor
        elided = isinstance(anchor, Variable) and self._is_unit(anchor.name) and len(elements) > 1
        self.read([each for each in elements[1:] if not (elided and each is anchor)])
        if isinstance(anchor, Variable):
            constraint = self._variant.attributes.get(anchor.name)
            if (
                constraint is not None
                and constraint.kind == "unit"
                and anchor.name not in self._parts.properties
            ):
                self._parts.properties[anchor.name] = UnitAttr()

    def _is_unit(self, name: str) -> bool:
        constraint = self._variant.attributes.get(name)
        return constraint is not None and constraint.kind == "unit"

    def _begins(self, first: Element) -> bool:
        """Read the first element of an optional group if it stands here."""
        parser = self._parser
        match first:
            case Literal():
                return self._literal(first.text)
            case Variable(name=name) if name in self._operands:
                if cast(Any, parser)._current_token.kind != MLIRTokenKind.PERCENT_IDENT:
                    return False
                self._variable(name)
                return True
            case Variable(name=name) if name in self._variant.attributes:
                found = read_optional_attribute(parser, self._variant.attributes[name])
                if found is not None:
                    self._parts.properties[name] = found
                return found is not None
            case Variable(name=name) if any(each.name == name for each in self._variant.regions):
                if cast(Any, parser)._current_token.text != "{":
                    return False
                self._variable(name)
                return True
            case Variable(name=name):
                if cast(Any, parser)._current_token.kind != MLIRTokenKind.CARET_IDENT:
                    return False
                self._variable(name)
                return True
            case Directive(name="operands"):
                self._parts.all_operands = self._operand_list()
                return bool(self._parts.all_operands)
            case Directive(name="qualified"):
                return self._begins(first.arguments[0])
            case Directive(name="custom", function="DynamicIndexList"):
                if cast(Any, parser)._current_token.text != "[":
                    return False
                self._directive(first)
                return True
            case _:
                raise NotImplementedError("an optional group that begins so")

    def _any_order(self, element: AnyOrder) -> None:
        rest = list(element.clauses)
        while True:
            for clause in rest:
                first = clause[0]
                if isinstance(first, Literal) and self._literal(first.text):
                    self._clause(clause)
                    rest.remove(clause)
                    break
            else:
                return

    def _clause(self, clause: Sequence[Element]) -> None:
        for each in clause[1:]:
            if isinstance(each, Variable) and self._is_unit(each.name):
                self._parts.properties[each.name] = UnitAttr()
            else:
                self._element(each)

    def _directive(self, directive: Directive) -> None:
        parser = self._parser
        match directive.name:
            case "attr-dict" | "attr-dict-with-keyword":
                if directive.name == "attr-dict" or parser.parse_optional_keyword("attributes") is not None:
                    self._parts.put_dictionary(parser.parse_optional_attr_dict())
            case "prop-dict":
                if parser.parse_optional_punctuation("<") is not None:
                    self._parts.put_dictionary(parser.parse_optional_attr_dict())
                    parser.parse_punctuation(">")
            case "operands":
                self._parts.all_operands = self._operand_list()
            case "successors":
                (group,) = self._variant.successors
                self._parts.successors[group.name] = self._successor_list(several=True)
            case "regions":
                found: list[Region] = []
                each = parser.parse_optional_region()
                while each is not None:
                    found.append(each)
                    each = (
                        parser.parse_region() if parser.parse_optional_punctuation(",") is not None else None
                    )
                for group, region in zip(self._variant.regions, found, strict=False):
                    self._parts.regions[group.name] = [region]
            case "type":
                self._type(directive.arguments[0])
            case "qualified":
                self._element(directive.arguments[0])
            case "functional-type":
                inputs, outputs = directive.arguments
                parser.parse_punctuation("(")
                types: list[Attribute] = []
                if parser.parse_optional_punctuation(")") is None:
                    types = read_types(parser)
                    parser.parse_punctuation(")")
                self._parts.put_types(parser, inputs, types)
                parser.parse_punctuation("->")
                if parser.parse_optional_punctuation("(") is not None:
                    types = []
                    if parser.parse_optional_punctuation(")") is None:
                        types = read_types(parser)
                        parser.parse_punctuation(")")
                else:
                    types = [parser.parse_type()]
                self._parts.put_types(parser, outputs, types)
            case "custom":
                self._custom(directive)
            case _:
                raise NotImplementedError(directive.name)

    def _type(self, of: Element) -> None:
        parser = self._parser
        if isinstance(of, Variable):
            constraint = self._parts.constraint(of.name)
            if not constraint.variadic:
                self._parts.types[of.name] = [self._one_type(constraint)]
                return
            if constraint.variadic == "o":
                first = parser.parse_optional_type()
                self._parts.types[of.name] = [] if first is None else [first]
            else:
                self._parts.types[of.name] = read_types(parser)
            return
        self._parts.put_types(parser, of, read_types(parser))

    def _one_type(self, constraint: TypeConstraint) -> Attribute:
        parser: Any = self._parser
        token = parser._current_token
        if not constraint.written or token.text != "<":
            start, type = parser.pos, parser.parse_type()
            if (said := _wrong_kind(constraint, type)) is not None:
                refuse(parser, self._variant.name, said, start)
            return type
        kind = parser.ctx.get_optional_type(constraint.written)
        return read_sugared(parser, kind, constraint.written, is_type=True)

    def _custom(self, directive: Directive) -> None:
        parser: Any = self._parser
        known = DIRECTIVES.get(directive.function)
        if known is not None:
            known.read(parser, self._parts, directive.arguments)
            return
        match directive.function:
            case "DynamicIndexList":
                read_index_list(parser, self._parts, directive.arguments)
            case "OptionalDynamicIndexList":
                if parser._current_token.text == "[":
                    read_index_list(parser, self._parts, directive.arguments)
            case "AsyncDependencies":
                read_async(parser, self._parts, directive.arguments)
            case "AllReduceOperation":
                read_reduction(parser, self._parts, directive.arguments)
            case "TransformMatchDims":
                read_match_dims(parser, self._parts, directive.arguments)
            case "SequenceOpOperands":
                read_sequence_operands(parser, self._parts, directive.arguments)
            case "MNKDimensionList":
                read_dimensions(parser, self._parts, directive.arguments)
            case _:
                read_semi_function_type(parser, self._parts, directive.arguments)


def _wrong_kind(constraint: TypeConstraint, type: Attribute) -> str | None:
    """Return what MLIR says of a type that is no memref, where C++ wants one."""
    predicate = constraint.predicate
    while predicate and predicate[0] == "and":
        predicate = predicate[1]
    if not predicate or predicate[0] != "is" or isinstance(type, UnknownType):
        return None
    if predicate[1] == "memref" and not isinstance(type, MemRefType):
        return f"invalid kind of type specified: expected builtin.memref, but found {typed(type)}"
    if predicate[1] == "any-memref" and not isinstance(type, MemRefType | UnrankedMemRefType):
        return "invalid kind of type specified"
    return None
