"""Reads the custom assembly of an op by its format, as MLIR's generated parsers do: the text, then types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
    UnregisteredAttr,
    VectorType,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.mlir_lexer import MLIRTokenKind

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
from gpuasync_lsp.syntax.ods.table import AttrConstraint, TypeConstraint, Variant
from gpuasync_lsp.syntax.opaque import UNKNOWN

_ARRAY_TYPES = {"#i8-array": i8, "#i16-array": i16, "#i32-array": i32, "#i64-array": i64, "#bool-array": i1}
CUSTOM = frozenset({"DynamicIndexList", "MNKDimensionList", "OptionalDynamicIndexList", "SemiFunctionType"})
"""The `custom` directives that are understood."""
_PLAIN = frozenset(
    {"attr-dict", "attr-dict-with-keyword", "prop-dict", "operands", "results", "regions", "successors",
     "type", "functional-type", "qualified"}
)  # fmt: skip
DYNAMIC = -(2**63)


def supports(elements: Sequence[Element], variant: Variant) -> bool:
    """Tell whether all of a format is understood."""
    for element in elements:
        match element:
            case Directive(name="custom"):
                if element.function not in CUSTOM:
                    return False
            case Directive():
                if element.name not in _PLAIN or not supports(element.arguments, variant):
                    return False
            case Optional():
                if not supports((*element.then, *element.otherwise), variant):
                    return False
            case AnyOrder():
                if not all(supports(each, variant) for each in element.clauses):
                    return False
            case Variable():
                constraint = variant.attributes.get(element.name)
                if constraint is not None and constraint.kind == "property":
                    return False
            case Literal() | Space() | Text():
                pass
    return not any(each.variadic == "vv" for _, each in variant.operands)


def array_type(constraint: AttrConstraint) -> IntegerType | None:
    """Return the element type of an attribute that must be a dense array of integers."""
    predicate = constraint.predicate
    while predicate and predicate[0] == "and":
        predicate = predicate[1]
    return _ARRAY_TYPES.get(str(predicate[1])) if predicate and predicate[0] == "is" else None


class Reading:
    """What was read of one op."""

    def __init__(self, parser: Parser, variant: Variant, elements: Sequence[Element]) -> None:
        self._parser = parser
        self._variant = variant
        self._elements = elements
        self._operands = dict(variant.operands)
        self._results = dict(variant.results)
        self._names: dict[str, list[UnresolvedOperand]] = {}
        self._types: dict[str, list[Attribute]] = {}
        self._all_operands: list[UnresolvedOperand] | None = None
        self._all_operand_types: list[Attribute] | None = None
        self._all_result_types: list[Attribute] | None = None
        self._written: frozenset[str] = frozenset()
        """The names whose types the text says."""
        self._properties: dict[str, Attribute] = {}
        self._attributes: dict[str, Attribute] = {}
        self._regions: dict[str, list[Region]] = {}
        self._successors: dict[str, list[Block]] = {}

    # Text

    def read(self) -> None:
        """Read the text; raises a ParseError, or NotImplementedError for what is not understood."""
        self._sequence(self._elements)

    def _sequence(self, elements: Sequence[Element]) -> None:
        for element in elements:
            self._element(element)

    def _element(self, element: Element) -> None:
        match element:
            case Literal():
                if not self._literal(element.text):
                    self._parser.raise_error(f"expected '{element.text}'")
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
                self._names[name] = self._operand_list()
            elif several == "o":
                found = parser.parse_optional_unresolved_operand()
                self._names[name] = [found] if found is not None else []
            else:
                self._names[name] = [parser.parse_unresolved_operand()]
        elif name in self._variant.attributes:
            self._properties[name] = self._attribute(self._variant.attributes[name])
        elif (
            region := next((each for each in self._variant.regions if each.name == name), None)
        ) is not None:
            if not region.variadic:
                self._regions[name] = [parser.parse_region()]
                return
            found_regions: list[Region] = []
            first = parser.parse_optional_region()
            while first is not None:
                found_regions.append(first)
                first = parser.parse_region() if parser.parse_optional_punctuation(",") is not None else None
            self._regions[name] = found_regions
        elif any(each.name == name for each in self._variant.successors):
            self._successors[name] = self._successor_list(
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
            self._sequence(group.otherwise)
            return
        anchor = group.anchor
        elided = isinstance(anchor, Variable) and self._is_unit(anchor.name) and len(elements) > 1
        self._sequence([each for each in elements[1:] if not (elided and each is anchor)])
        if isinstance(anchor, Variable):
            constraint = self._variant.attributes.get(anchor.name)
            if constraint is not None and constraint.kind == "unit" and anchor.name not in self._properties:
                self._properties[anchor.name] = UnitAttr()

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
                return self._begins_attribute(name)
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
                self._all_operands = self._operand_list()
                return bool(self._all_operands)
            case Directive(name="qualified"):
                return self._begins(first.arguments[0])
            case Directive(name="custom", function="DynamicIndexList"):
                if cast(Any, parser)._current_token.text != "[":
                    return False
                self._directive(first)
                return True
            case _:
                raise NotImplementedError("an optional group that begins so")

    def _begins_attribute(self, name: str) -> bool:
        parser: Any = self._parser
        constraint = self._variant.attributes[name]
        token = parser._current_token
        if constraint.kind in ("enum", "def") and constraint.cases and token.text in constraint.cases:
            self._properties[name] = self._attribute(constraint)
            return True
        if constraint.kind == "symbol-name" and token.kind == MLIRTokenKind.AT_IDENT:
            self._properties[name] = self._attribute(constraint)
            return True
        if constraint.kind == "enum" or (constraint.kind == "def" and constraint.format == "$value"):
            if token.kind == MLIRTokenKind.HASH_IDENT:
                self._properties[name] = parser.parse_attribute()
                return True
            return False
        if constraint.kind == "def":
            if token.kind == MLIRTokenKind.HASH_IDENT or token.text == "<":
                self._properties[name] = self._attribute(constraint)
                return True
            return False
        if array_type(constraint) is not None:
            if token.text != "[":
                return False
            self._properties[name] = self._attribute(constraint)
            return True
        if token.kind in _ATTRIBUTE_STARTS or token.text in ("[", "{", "-"):
            self._properties[name] = self._attribute(constraint)
            return True
        if token.kind == MLIRTokenKind.BARE_IDENT:
            found = parser.parse_optional_attribute()
            if found is None:
                return False
            self._properties[name] = found
            return True
        return False

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
                self._properties[each.name] = UnitAttr()
            else:
                self._element(each)

    def _directive(self, directive: Directive) -> None:
        parser = self._parser
        match directive.name:
            case "attr-dict" | "attr-dict-with-keyword":
                if directive.name == "attr-dict" or parser.parse_optional_keyword("attributes") is not None:
                    self._dictionary(parser.parse_optional_attr_dict())
            case "prop-dict":
                if parser.parse_optional_punctuation("<") is not None:
                    self._dictionary(parser.parse_optional_attr_dict())
                    parser.parse_punctuation(">")
            case "operands":
                self._all_operands = self._operand_list()
            case "successors":
                (group,) = self._variant.successors
                self._successors[group.name] = self._successor_list(several=True)
            case "regions":
                found: list[Region] = []
                each = parser.parse_optional_region()
                while each is not None:
                    found.append(each)
                    each = (
                        parser.parse_region() if parser.parse_optional_punctuation(",") is not None else None
                    )
                for group, region in zip(self._variant.regions, found, strict=False):
                    self._regions[group.name] = [region]
            case "type":
                self._type(directive.arguments[0])
            case "qualified":
                self._element(directive.arguments[0])
            case "functional-type":
                inputs, outputs = directive.arguments
                parser.parse_punctuation("(")
                types: list[Attribute] = []
                if parser.parse_optional_punctuation(")") is None:
                    types = self._type_list()
                    parser.parse_punctuation(")")
                self._give_types(inputs, types)
                parser.parse_punctuation("->")
                if parser.parse_optional_punctuation("(") is not None:
                    types = []
                    if parser.parse_optional_punctuation(")") is None:
                        types = self._type_list()
                        parser.parse_punctuation(")")
                else:
                    types = [parser.parse_type()]
                self._give_types(outputs, types)
            case "custom":
                self._custom(directive)
            case _:
                raise NotImplementedError(directive.name)

    def _dictionary(self, entries: dict[str, Attribute]) -> None:
        for name, value in entries.items():
            if name in self._variant.attributes or name in ("operandSegmentSizes", "resultSegmentSizes"):
                self._properties[name] = value
            else:
                self._attributes[name] = value

    # Types

    def _type_list(self) -> list[Attribute]:
        parser = self._parser
        types: list[Attribute] = [parser.parse_type()]
        while parser.parse_optional_punctuation(",") is not None:
            types.append(parser.parse_type())
        return types

    def _type(self, of: Element) -> None:
        parser = self._parser
        if isinstance(of, Variable):
            constraint = self._operands.get(of.name) or self._results.get(of.name)
            if constraint is None:
                raise NotImplementedError(of.name)
            if not constraint.variadic:
                self._types[of.name] = [self._one_type(constraint)]
                return
            first = parser.parse_optional_type()
            types: list[Attribute] = [] if first is None else [first]
            if types and constraint.variadic == "v":
                while parser.parse_optional_punctuation(",") is not None:
                    types.append(parser.parse_type())
            self._types[of.name] = types
            return
        first = parser.parse_optional_type()
        types = [] if first is None else [first]
        while types and parser.parse_optional_punctuation(",") is not None:
            types.append(parser.parse_type())
        self._give_types(of, types)

    def _one_type(self, constraint: TypeConstraint) -> Attribute:
        parser: Any = self._parser
        token = parser._current_token
        if not constraint.written or token.text != "<":
            return parser.parse_type()
        kind = parser.ctx.get_optional_type(constraint.written)
        return _sugared(parser, kind, constraint.written, is_type=True)

    def _give_types(self, of: Element, types: list[Attribute]) -> None:
        match of:
            case Variable():
                constraint = self._operands.get(of.name) or self._results.get(of.name)
                if constraint is None:
                    raise NotImplementedError(of.name)
                if not constraint.variadic and len(types) != 1:
                    self._parser.raise_error(f"expected single type, but got {len(types)}")
                self._types[of.name] = types
            case Directive(name="operands"):
                self._all_operand_types = types
            case Directive(name="results"):
                self._all_result_types = types
            case Directive(name="type"):
                self._give_types(of.arguments[0], types)
            case _:
                raise NotImplementedError("types of this")

    # Attributes

    def _attribute(self, constraint: AttrConstraint) -> Attribute:
        parser: Any = self._parser
        token = parser._current_token
        if constraint.kind == "symbol-name":
            return parser.parse_symbol_name()
        if token.kind == MLIRTokenKind.HASH_IDENT:
            return parser.parse_attribute()
        if constraint.kind == "enum":
            return self._enumeration(constraint)
        if constraint.kind == "def":
            return self._of_dialect(constraint)
        element = array_type(constraint)
        if element is not None and token.text == "[":
            numbers = parser.parse_comma_separated_list(
                Parser.Delimiter.SQUARE, lambda: int(parser.parse_integer(allow_boolean=True))
            )
            return DenseArrayBase.from_list(element, numbers)
        if constraint.type:
            return self._typed(constraint.type)
        return parser.parse_attribute()

    def _enumeration(self, constraint: AttrConstraint) -> Attribute:
        parser: Any = self._parser
        token = parser._current_token
        if token.kind == MLIRTokenKind.BARE_IDENT and token.text in constraint.cases:
            parser._consume_token()
            number = constraint.values[constraint.cases.index(token.text)]
            return IntegerAttr(
                number, i64 if constraint.type == "i64" else IntegerType(int(constraint.type[1:]))
            )
        if token.kind == MLIRTokenKind.BARE_IDENT:
            parser.raise_error(
                f"expected string or keyword containing one of the following enum values: "
                f"[{', '.join(constraint.cases)}]"
            )
        raise NotImplementedError("an enumeration written so")

    def _of_dialect(self, constraint: AttrConstraint) -> Attribute:
        parser: Any = self._parser
        name = constraint.written
        if not name:
            raise NotImplementedError("an attribute without a name")
        kind: Any = parser.ctx.get_optional_attr(name)
        if not issubclass(kind, UnregisteredAttr):
            return _sugared(parser, kind, name, is_type=False)
        if parser._current_token.text == "<":
            start = parser.pos
            found = _sugared(parser, kind, name, is_type=False)
            if (wrong := _no_case(constraint, found.value.data)) is not None:
                parser.raise_error(wrong, start + 1, parser.pos - 1)
            return found
        if not constraint.cases or constraint.format not in ("$value", ""):
            raise NotImplementedError("an attribute written so")
        token = parser._current_token
        word = token.text
        if token.kind == MLIRTokenKind.STRING_LIT:
            word = parser.parse_str_literal()
        elif token.kind == MLIRTokenKind.BARE_IDENT:
            parser._consume_token()
        else:
            parser.raise_error(f"expected keyword for {constraint.summary or name}")
        if word not in constraint.cases:
            parser.raise_error(
                f"expected {kind_of(constraint)} to be one of: {', '.join(constraint.cases)}", token.span
            )
        words = [word]
        while constraint.separator and parser.parse_optional_punctuation(constraint.separator) is not None:
            words.append(parser.parse_identifier())
        return kind(name, False, True, " " + constraint.separator.join(words))

    def _typed(self, spelled: str) -> Attribute:
        """Parse a number whose type is not written."""
        parser: Any = self._parser
        type = _builtin_type(spelled)
        token = parser._current_token
        if token.text in ("true", "false") and type == i1:
            parser._consume_token()
            return IntegerAttr.from_bool(token.text == "true")
        negative = parser.parse_optional_punctuation("-") is not None
        token = parser._current_token
        if token.kind == MLIRTokenKind.INTEGER_LIT and isinstance(type, IntegerType | IndexType):
            parser._consume_token()
            number = int(token.text, 0)
            if parser.parse_optional_punctuation(":") is not None:
                # Only where no colon of the format can follow; MLIR does not take a type here.
                parser._resume_from(token.span.start + len(token.text))
            integer = cast("IntegerType[int, Signedness] | IndexType", type)
            return IntegerAttr(-number if negative else number, integer)
        if token.kind in (MLIRTokenKind.FLOAT_LIT, MLIRTokenKind.INTEGER_LIT) and isinstance(type, AnyFloat):
            parser._consume_token()
            number = float(token.text)
            return FloatAttr(-number if negative else number, type)
        if negative:
            raise NotImplementedError("a number written so")
        return parser.parse_attribute()

    # Directives that MLIR writes in C++

    def _custom(self, directive: Directive) -> None:
        parser: Any = self._parser
        match directive.function:
            case "DynamicIndexList":
                self._index_list(directive.arguments)
            case "OptionalDynamicIndexList":
                if parser._current_token.text == "[":
                    self._index_list(directive.arguments)
            case "MNKDimensionList":
                self._dimensions(directive.arguments)
            case _:
                self._semi_function_type(directive.arguments)

    def _dimensions(self, arguments: Sequence[Element]) -> None:
        """`16x16x4`: the sizes of a product of matrices."""
        parser: Any = self._parser
        start = parser.pos
        sizes = [parser.parse_shape_dimension(allow_dynamic=False)]
        while parser._current_token.text.startswith("x"):
            parser.parse_shape_delimiter()
            sizes.append(parser.parse_shape_dimension(allow_dynamic=False))
        names = [each.name for each in arguments if isinstance(each, Variable)]
        if len(sizes) != len(names):
            words = "expected 3 dimensions in MNK dimension list"
            parser.raise_error(f"custom op '{self._variant.name}' {words}", start)
        for name, size in zip(names, sizes, strict=True):
            self._properties[name] = IntegerAttr(size, i32)

    def _index_list(self, arguments: Sequence[Element]) -> None:
        """`[%a, 4, [8]]`: dynamic values and static numbers, some of them scalable."""
        parser: Any = self._parser
        variables = [each.name for each in arguments if isinstance(each, Variable)]
        if any(not isinstance(each, Variable) for each in arguments) or not 2 <= len(variables) <= 3:
            raise NotImplementedError("an index list of this kind")
        dynamic, static, *scalable = variables
        names: list[UnresolvedOperand] = []
        numbers: list[int] = []
        flags: list[int] = []

        def entry() -> None:
            is_scalable = bool(scalable) and parser.parse_optional_punctuation("[") is not None
            name = parser.parse_optional_unresolved_operand()
            if name is not None:
                names.append(name)
                if parser.parse_optional_punctuation(":") is not None:
                    self._types.setdefault(dynamic, []).append(parser.parse_type())
                numbers.append(DYNAMIC)
            else:
                numbers.append(parser.parse_integer(allow_boolean=False))
            flags.append(int(is_scalable))
            if is_scalable:
                parser.parse_punctuation("]")

        parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, entry)
        self._names[dynamic] = names
        self._properties[static] = DenseArrayBase.from_list(i64, numbers)
        if scalable:
            self._properties[scalable[0]] = DenseArrayBase.from_list(i1, flags)

    def _semi_function_type(self, arguments: Sequence[Element]) -> None:
        """`!t` or `(!t) -> !u`."""
        parser = self._parser
        types = [
            each.arguments[0] for each in arguments if isinstance(each, Directive) and each.name == "type"
        ]
        inputs, *outputs = types
        if parser.parse_optional_punctuation("(") is None:
            self._give_types(inputs, [parser.parse_type()])
            for each in outputs:
                self._give_types(each, [])
            return
        self._give_types(inputs, [parser.parse_type()])
        parser.parse_punctuation(")")
        parser.parse_punctuation("->")
        found: list[Attribute]
        if parser.parse_optional_punctuation("(") is not None:
            found = self._type_list()
            parser.parse_punctuation(")")
        else:
            found = [parser.parse_type()]
        for index, each in enumerate(outputs):
            self._give_types(each, found if len(outputs) == 1 else found[index : index + 1])

    # The op

    def make(self, kind: type[Operation]) -> Operation:
        """Return the op; raises a ParseError where numbers of operands and types differ."""
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
            self._properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
        if "AttrSizedResultSegments" in variant.traits:
            self._properties["resultSegmentSizes"] = DenseArrayBase.from_list(i32, result_sizes)
        return kind.create(
            operands=operands,
            result_types=result_types,
            properties=self._properties,
            attributes=self._attributes,
            regions=[
                region for group in variant.regions for region in self._region(group.name, group.variadic)
            ],
            successors=[
                block for group in variant.successors for block in self._successors.get(group.name, ())
            ],
        )

    def _region(self, name: str, variadic: bool) -> list[Region]:
        found = self._regions.get(name)
        if found is None:
            return [] if variadic else [Region()]
        return found

    def _by_name(self) -> dict[str, list[UnresolvedOperand]]:
        definitions = self._variant.operands
        if self._all_operands is None:
            return {name: self._names.get(name, []) for name, _ in definitions}
        several = [name for name, each in definitions if each.variadic]
        rest = len(self._all_operands) - (len(definitions) - len(several))
        if len(several) > 1 or rest < 0 or (rest and not several):
            raise NotImplementedError("operands in groups")
        found: dict[str, list[UnresolvedOperand]] = {}
        at = 0
        for name, each in definitions:
            size = rest if each.variadic else 1
            found[name] = self._all_operands[at : at + size]
            at += size
        return found

    def _operand_types(self, names: dict[str, list[UnresolvedOperand]]) -> dict[str, list[Attribute]]:
        if self._all_operand_types is not None:
            total = sum(map(len, names.values()))
            if total != len(self._all_operand_types):
                self._mismatch(total, len(self._all_operand_types))
            at = 0
            for name, _ in self._variant.operands:
                self._types[name] = self._all_operand_types[at : at + len(names[name])]
                at += len(names[name])
        self._infer()
        found: dict[str, list[Attribute]] = {}
        for name, constraint in self._variant.operands:
            count = len(names[name])
            known = self._types.get(name)
            if known is None:
                built: Attribute = UNKNOWN
                if constraint.built:
                    built = _type_of_text(self._parser, constraint.built)
                known = list[Attribute]([built]) * count
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
        variant = self._variant
        self._written = frozenset(self._types)
        labels = [name for name, _ in (*variant.operands, *variant.results)]
        variadic = {name for name, each in (*variant.operands, *variant.results) if each.variadic == "v"}
        together: list[list[str]] = [list(rule) for rule in variant.rule("same-types")]
        if "SameOperandsAndResultType" in variant.traits:
            together.append(labels)
        if "SameTypeOperands" in variant.traits:
            together.append([name for name, _ in variant.operands])
        if self._all_result_types and len(self._all_result_types) == len(variant.results):
            for (name, _), type in zip(variant.results, self._all_result_types, strict=True):
                self._types.setdefault(name, [type])
        for _ in range(3):
            for name, constraint in (*variant.operands, *variant.results):
                if constraint.built and not constraint.variadic and name not in self._types:
                    self._types[name] = [_type_of_text(self._parser, constraint.built)]
            for group in together:
                known = next((self._types[name][0] for name in group if self._types.get(name)), None)
                known = known or next(filter(None, map(self._type_of_attribute, group)), None)
                if known is not None:
                    several = next(
                        filter(None, (self._types.get(name) for name in group if name in variadic)), [known]
                    )
                    for name in group:
                        if name in labels:
                            self._types.setdefault(name, list(several) if name in variadic else [known])
            for left, right, how, *_ in variant.rule("type-by"):
                source = (self._types.get(left) or [self._type_of_attribute(left)])[0]
                if source is not None and right in labels and right not in self._types:
                    made = transformed(how, source)
                    if made is not None:
                        self._types[right] = [made]

    def _type_of_attribute(self, name: str) -> Attribute | None:
        value = self._properties.get(name)
        if not isinstance(value, IntegerAttr | FloatAttr):
            return None
        return cast("IntegerAttr[IntegerType]", value).type

    def _result_types(self, operands: dict[str, list[Attribute]]) -> tuple[list[Attribute], list[int]]:
        for name, types in operands.items():
            if types and UNKNOWN not in types:
                self._types.setdefault(name, types)
        if self._all_result_types is not None:
            sizes = [1] * len(self._variant.results)
            return self._all_result_types, sizes
        self._infer()
        found: list[Attribute] = []
        sizes: list[int] = []
        for name, constraint in self._variant.results:
            known = self._types.get(name)
            if known is None:
                if constraint.variadic and not _says_type_of(self._elements, name):
                    raise NotImplementedError("results whose number is inferred")
                # What the format can say and the text does not is no result.
                known = [] if constraint.variadic else [UNKNOWN]
            elif constraint.variadic == "" and len(known) > 1:
                known = known[:1]
            found += known
            sizes.append(len(known))
        return found, sizes


_ATTRIBUTE_STARTS = (
    MLIRTokenKind.HASH_IDENT,
    MLIRTokenKind.INTEGER_LIT,
    MLIRTokenKind.FLOAT_LIT,
    MLIRTokenKind.STRING_LIT,
    MLIRTokenKind.AT_IDENT,
)


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


def kind_of(constraint: AttrConstraint) -> str:
    """Return how MLIR's messages call the C++ enumeration behind an attribute."""
    return constraint.enumeration or constraint.written


_IN_BRACKETS = "`<` $value `>`"


def _no_case(constraint: AttrConstraint, body: str) -> str | None:
    """Return what MLIR says of `<body>` where that is no case of the enumeration."""
    if not constraint.cases or constraint.format != _IN_BRACKETS:
        return None
    words = body.split(constraint.separator) if constraint.separator else [body]
    for word in (each.strip() for each in words):
        if word.isidentifier() and word not in constraint.cases:
            return f"expected {kind_of(constraint)} to be one of: {', '.join(constraint.cases)}"
    return None


def transformed(how: str, type: Attribute) -> Attribute | None:
    """Return the type that `how` makes of `type`; None where that is not known."""
    if how == "same":
        return type
    if how == "element":
        element = getattr(type, "element_type", None)
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


def _sugared(parser: Any, kind: Any, name: str, *, is_type: bool) -> Any:
    """Parse a type or an attribute of a dialect without its name."""
    if issubclass(kind, UnregisteredAttr):
        return kind(name, is_type, False, parser._parse_dialect_symbol_body())
    if issubclass(kind, ParametrizedAttribute):
        return kind.new(kind.parse_parameters(parser))
    made: Any = kind
    if issubclass(kind, Data):
        return made(made.parse_parameter(parser))
    raise NotImplementedError(name)


def _builtin_type(spelled: str) -> Attribute:
    if spelled == "index":
        return IndexType()
    if spelled[0] == "i":
        return IntegerType(int(spelled[1:]))
    raise NotImplementedError(spelled)


def _type_of_text(parser: Parser, text: str) -> TypeAttribute:
    """Return the type that `text` writes, which is the same in every file."""
    known: dict[str, TypeAttribute] = cast(Any, parser.ctx).types
    found = known.get(text)
    if found is None:
        found = known[text] = Parser(parser.ctx, text).parse_type()
    return found
