"""Parses the text of an op with its format, like MLIR's generated parsers.

A format is compiled into a sequence of functions when an op is first parsed with it: interpreting the format
for each op would take a third of the parsing time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import MemRefType, UnitAttr, UnrankedMemRefType, VectorType
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.dialects.assembly import parse_operand_names, raise_error, typed
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMVectorType
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
from gpuasync_lsp.syntax.xdsl_speed import current_token, punctuation, resume_from

Step = Callable[[Parser, Parts], None]
"""Parses one element of a format."""
Try = Callable[[Parser, Parts], bool]
"""Parses an element if it is present; returns whether it was."""

_CUSTOM = {
    "DynamicIndexList": read_index_list,
    "AsyncDependencies": read_async,
    "AllReduceOperation": read_reduction,
    "TransformMatchDims": read_match_dims,
    "SequenceOpOperands": read_sequence_operands,
    "MNKDimensionList": read_dimensions,
}


def steps_of(variant: Variant, elements: Sequence[Element]) -> tuple[Step, ...]:
    """Return the functions that parse the text of an op, in order.

    Each raises ParseError if the text is wrong, and NotImplementedError if it is not supported.
    """
    return _Compiler(variant).all(elements)


class _Compiler:
    """Compiles the elements of one format into functions."""

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._operands = dict(variant.operands)
        self._regions = {each.name: each for each in variant.regions}
        self._successors = {each.name: each for each in variant.successors}

    def all(self, elements: Sequence[Element]) -> tuple[Step, ...]:
        """Return a parsing function for each element that consumes text."""
        return tuple(self._step(each) for each in elements if not isinstance(each, Space | Text))

    def _step(self, element: Element) -> Step:
        match element:
            case Literal(text=text):
                return self._literal(text)
            case Variable(name=name):
                return self._variable(name)
            case Optional():
                return self._optional(element)
            case AnyOrder():
                return self._any_order(element)
            case Directive():
                return self._directive(element)
            case Space() | Text():
                return _nothing

    def _literal(self, text: str) -> Step:
        try_it, message, name = _literal(text), f"expected '{text}'", self._variant.name
        spelling = punctuation(text)

        def keyword(parser: Parser, parts: Parts) -> None:
            if not try_it(parser, parts):  # The error names the keyword.
                raise_error(parser, name, message)

        def mark(parser: Parser, parts: Parts) -> None:
            if parser.parse_optional_punctuation(spelling) is None and not try_it(parser, parts):
                parser.raise_error(message)

        return keyword if text[0].isalpha() else mark

    def _variable(self, name: str) -> Step:
        if name in self._operands:
            return _OPERANDS[self._operands[name].variadic](name)
        if name in self._variant.attributes:
            constraint = self._variant.attributes[name]

            def attribute(parser: Parser, parts: Parts) -> None:
                parts.properties[name] = read_attribute(parser, constraint, name)

            return attribute
        if name in self._regions:
            return _regions(name) if self._regions[name].variadic else _region(name)
        if name in self._successors:
            several = self._successors[name].variadic

            def successors(parser: Parser, parts: Parts) -> None:
                parts.successors[name] = _successor_list(parser, several)

            return successors
        return _not_understood(name)

    def _optional(self, group: Optional) -> Step:
        elements = [each for each in group.then if not isinstance(each, Space)]
        begins, otherwise = self._begins(elements[0]), self.all(group.otherwise)
        anchor = group.anchor
        unit = anchor.name if isinstance(anchor, Variable) and self._is_unit(anchor.name) else ""
        elided = unit and len(elements) > 1
        rest = self.all([each for each in elements[1:] if not (elided and each is anchor)])

        def read(parser: Parser, parts: Parts) -> None:
            is_there = begins(parser, parts)
            parts.taken = parts.taken << 1 | is_there
            for step in rest if is_there else otherwise:
                step(parser, parts)
            if is_there and unit and unit not in parts.properties:
                parts.properties[unit] = UnitAttr()

        return read

    def _is_unit(self, name: str) -> bool:
        constraint = self._variant.attributes.get(name)
        return constraint is not None and constraint.kind == "unit"

    def _begins(self, first: Element) -> Try:
        """Return a function that parses the first element of an optional group, and returns whether it is
        present."""
        match first:
            case Literal(text=text):
                return _literal(text)
            case Variable(name=name) if name in self._operands:
                return _if_kind(MLIRTokenKind.PERCENT_IDENT, self._variable(name))
            case Variable(name=name) if name in self._variant.attributes:
                constraint = self._variant.attributes[name]

                def attribute(parser: Parser, parts: Parts) -> bool:
                    found = read_optional_attribute(parser, constraint, name)
                    if found is not None:
                        parts.properties[name] = found
                    return found is not None

                return attribute
            case Variable(name=name) if name in self._regions:
                return _if_text("{", self._variable(name))
            case Variable(name=name):
                return _if_kind(MLIRTokenKind.CARET_IDENT, self._variable(name))
            case Directive(name="operands"):

                def operands(parser: Parser, parts: Parts) -> bool:
                    parts.all_operands = parse_operand_names(parser)
                    return bool(parts.all_operands)

                return operands
            case Directive(name="qualified"):
                return self._begins(first.arguments[0])
            case Directive(name="custom", function="DynamicIndexList"):
                return _if_text("[", self._directive(first))
            case _:
                return _never_begins

    def _any_order(self, element: AnyOrder) -> Step:
        clauses = [
            (_literal(clause[0].text), self._clause(clause[1:]))
            for clause in element.clauses
            if isinstance(clause[0], Literal)
        ]

        words = [each[0].text for each in element.clauses if isinstance(each[0], Literal)]
        name = self._variant.name

        def read(parser: Parser, parts: Parts) -> None:
            rest = list(clauses)
            while True:
                for clause in rest:
                    if clause[0](parser, parts):
                        for step in clause[1]:
                            step(parser, parts)
                        rest.remove(clause)
                        break
                else:
                    if current_token(parser).text in words:
                        message = "clause can appear at most once in the expansion of the oilist directive"
                        raise_error(parser, name, f"`{current_token(parser).text}` {message}", parser.pos)
                    return

        return read

    def _clause(self, elements: Sequence[Element]) -> tuple[Step, ...]:
        return tuple(
            _unit(each.name) if isinstance(each, Variable) and self._is_unit(each.name) else self._step(each)
            for each in elements
        )

    def _directive(self, directive: Directive) -> Step:
        match directive.name:
            case "attr-dict":
                return _dictionary
            case "attr-dict-with-keyword":
                return _dictionary_with_keyword
            case "prop-dict":
                return _property_dictionary
            case "operands":
                return _all_operands
            case "successors":
                (group,) = self._variant.successors
                return self._all_successors(group.name)
            case "regions":
                return _all_regions
            case "type":
                return self._type(directive.arguments[0])
            case "qualified":
                return self._step(directive.arguments[0])
            case "functional-type":
                return _functional_type(*directive.arguments)
            case "custom":
                return _custom(directive)
            case _:
                return _not_understood(directive.name)

    def _all_successors(self, name: str) -> Step:
        def read(parser: Parser, parts: Parts) -> None:
            parts.successors[name] = _successor_list(parser, several=True)

        return read

    def _type(self, of: Element) -> Step:
        if not isinstance(of, Variable):

            def types(parser: Parser, parts: Parts) -> None:
                parts.put_types(parser, of, read_types(parser))

            return types
        name = of.name
        constraint = next(
            (each for label, each in (*self._variant.operands, *self._variant.results) if label == name), None
        )
        if constraint is None:
            return _not_understood(name)
        if not constraint.variadic:
            return self._one_type(name, constraint)
        if constraint.variadic == "o":

            def optional(parser: Parser, parts: Parts) -> None:
                first = parser.parse_optional_type()
                parts.types[name] = [] if first is None else [first]

            return optional

        def several(parser: Parser, parts: Parts) -> None:
            parts.types[name] = read_types(parser)

        return several

    def _one_type(self, name: str, constraint: TypeConstraint) -> Step:
        written, op_name = constraint.written, self._variant.name
        wanted = kind_wanted(constraint)

        def read(parser: Parser, parts: Parts) -> None:
            if written and current_token(parser).text == "<":
                kind = parser.ctx.get_optional_type(written)
                parts.types[name] = [read_sugared(parser, kind, written, is_type=True)]
                return
            start, type = parser.pos, parser.parse_type()
            if wanted and (message := _wrong_kind(wanted, type)) is not None:
                raise_error(parser, op_name, message, start)
            parts.types[name] = [type]

        return read


def _nothing(parser: Parser, parts: Parts) -> None:
    pass


def _not_understood(what: str) -> Step:
    def read(parser: Parser, parts: Parts) -> None:
        raise NotImplementedError(what)

    return read


def _never_begins(parser: Parser, parts: Parts) -> bool:
    raise NotImplementedError("unsupported first element of an optional group")


def _literal(text: str) -> Try:
    if text[0].isalpha() or text[0] == "_":

        def keyword(parser: Parser, parts: Parts) -> bool:
            # Detect the usual case, an absent keyword, without a call.
            if current_token(parser).text != text:
                return False
            return parser.parse_optional_keyword(text) is not None

        return keyword

    spelling = punctuation(text)

    def mark(parser: Parser, parts: Parts) -> bool:
        if parser.parse_optional_punctuation(spelling) is not None:
            return True
        # MLIR lexes this punctuation as one token, our lexer as several tokens: `::`, `[]`.
        content, start = parser.lexer.input.content, parser.pos
        if len(text) > 1 and content.startswith(text, start):
            resume_from(parser, start + len(text))
            return True
        return False

    return mark


def _if_kind(kind: MLIRTokenKind, step: Step) -> Try:
    def read(parser: Parser, parts: Parts) -> bool:
        if current_token(parser).kind != kind:
            return False
        step(parser, parts)
        return True

    return read


def _if_text(text: str, step: Step) -> Try:
    def read(parser: Parser, parts: Parts) -> bool:
        if current_token(parser).text != text:
            return False
        step(parser, parts)
        return True

    return read


def _unit(name: str) -> Step:
    def read(parser: Parser, parts: Parts) -> None:
        parts.properties[name] = UnitAttr()

    return read


# Operands


def _one_operand(name: str) -> Step:
    def read(parser: Parser, parts: Parts) -> None:
        parts.names[name] = [parser.parse_unresolved_operand()]

    return read


def _optional_operand(name: str) -> Step:
    def read(parser: Parser, parts: Parts) -> None:
        found = parser.parse_optional_unresolved_operand()
        parts.names[name] = [found] if found is not None else []

    return read


def _several_operands(name: str) -> Step:
    def read(parser: Parser, parts: Parts) -> None:
        parts.names[name] = parse_operand_names(parser)

    return read


_OPERANDS = {"": _one_operand, "o": _optional_operand, "v": _several_operands, "vv": _one_operand}


def _all_operands(parser: Parser, parts: Parts) -> None:
    parts.all_operands = parse_operand_names(parser)


# Regions and successors


def _region(name: str) -> Step:
    def read(parser: Parser, parts: Parts) -> None:
        parts.regions[name] = [parts.read_region(parser)]

    return read


def _regions(name: str) -> Step:
    def read(parser: Parser, parts: Parts) -> None:
        parts.regions[name] = _region_list(parser, parts)

    return read


def _region_list(parser: Parser, parts: Parts) -> list[Region]:
    found: list[Region] = []
    parts.begin_region(parser)
    each = parser.parse_optional_region()
    while each is not None:
        found.append(each)
        each = parser.parse_region() if parser.parse_optional_punctuation(",") is not None else None
    return found


def _all_regions(parser: Parser, parts: Parts) -> None:
    for group, region in zip(parts.variant.regions, _region_list(parser, parts), strict=False):
        parts.regions[group.name] = [region]


def _successor_list(parser: Parser, several: bool) -> list[Block]:
    if not several:
        return [parser.parse_successor()]
    found: list[Block] = []
    each = parser.parse_optional_successor()
    while each is not None:
        found.append(each)
        each = parser.parse_successor() if parser.parse_optional_punctuation(",") is not None else None
    return found


# Dictionaries, types, directives implemented in C++


def _dictionary(parser: Parser, parts: Parts) -> None:
    if current_token(parser).text == "{":
        parts.put_dictionary(parser.parse_optional_attr_dict())


def _dictionary_with_keyword(parser: Parser, parts: Parts) -> None:
    if parser.parse_optional_keyword("attributes") is not None:
        parts.put_dictionary(parser.parse_optional_attr_dict())


def _property_dictionary(parser: Parser, parts: Parts) -> None:
    if parser.parse_optional_punctuation("<") is not None:
        parts.put_dictionary(parser.parse_optional_attr_dict())
        parser.parse_punctuation(">")


def _functional_type(inputs: Element, outputs: Element) -> Step:
    def read(parser: Parser, parts: Parts) -> None:
        parser.parse_punctuation("(")
        parts.put_types(parser, inputs, _types_to_parenthesis(parser))
        parser.parse_punctuation("->")
        types: list[Attribute]
        if parser.parse_optional_punctuation("(") is not None:
            types = _types_to_parenthesis(parser)
        else:
            types = [parser.parse_type()]
        parts.put_types(parser, outputs, types)

    return read


def _types_to_parenthesis(parser: Parser) -> list[Attribute]:
    if parser.parse_optional_punctuation(")") is not None:
        return []
    types = read_types(parser)
    parser.parse_punctuation(")")
    return types


def _custom(directive: Directive) -> Step:
    arguments, function = directive.arguments, directive.function
    known = DIRECTIVES.get(function)
    by_function = known.read if known is not None else _CUSTOM.get(function, read_semi_function_type)
    if function == "OptionalDynamicIndexList":

        def if_there(parser: Parser, parts: Parts) -> None:
            if current_token(parser).text == "[":
                read_index_list(parser, parts, arguments)

        return if_there

    def read(parser: Parser, parts: Parts) -> None:
        by_function(parser, parts, arguments)

    return read


def kind_wanted(constraint: TypeConstraint) -> str:
    """Return the type that the C++ parser casts to, a memref or a vector; empty for other constraints."""
    predicate = constraint.predicate
    while predicate and predicate[0] == "and":
        predicate = predicate[1]
    if not predicate or predicate[0] not in ("is", _LLVM_VECTOR):
        return ""
    return predicate[-1] if predicate[-1] in ("memref", "any-memref", _LLVM_VECTOR) else ""


def _wrong_kind(wanted: str, type: Attribute) -> str | None:
    """Return MLIR's error for a type that is not the memref or vector that the C++ parser expects."""
    if isinstance(type, UnknownType):
        return None
    if wanted == _LLVM_VECTOR and type.name not in (VectorType.name, LLVMVectorType.name):
        return f"invalid kind of type specified: expected builtin.vector, but found {typed(type)}"
    if wanted == "memref" and not isinstance(type, MemRefType):
        return f"invalid kind of type specified: expected builtin.memref, but found {typed(type)}"
    if wanted == "any-memref" and not isinstance(type, MemRefType | UnrankedMemRefType):
        return "invalid kind of type specified"
    return None


_LLVM_VECTOR = "llvm-vector"
