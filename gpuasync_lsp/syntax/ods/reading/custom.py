"""Parses directives that are implemented in C++ (`custom<...>`)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i1, i32, i64
from xdsl.ir import Attribute, TypeAttribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.ods.formats import Directive, Element, Text, Variable
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.ods.reading.attributes import read_attribute
from gpuasync_lsp.syntax.shared_context import SharedContext
from gpuasync_lsp.syntax.xdsl_speed import consume_token, current_token

DYNAMIC = -(2**63)


def read_async(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `async [%a, %b]`: the keyword adds a result token, the list contains dependencies; both are
    optional."""
    token = type_of_text(parser, "!gpu.async.token")
    names: list[UnresolvedOperand] = []
    is_async = parser.parse_optional_keyword("async") is not None
    if parser.parse_optional_punctuation("[") is not None:
        first = parser.parse_optional_unresolved_operand()
        while first is not None:
            names.append(first)
            more = parser.parse_optional_punctuation(",") is not None
            first = parser.parse_unresolved_operand() if more else None
        parser.parse_punctuation("]")
    for each in arguments:
        if isinstance(each, Variable):
            parts.names[each.name] = names
            parts.types[each.name] = [token] * len(names)
        elif isinstance(each, Directive):
            parts.put_types(parser, each, [token] if is_async else [])


def read_reduction(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the kind of a reduction, such as `add`, or nothing."""
    (name,) = [each.name for each in arguments if isinstance(each, Variable)]
    if current_token(parser).kind != MLIRTokenKind.BARE_IDENT:
        return
    token = current_token(parser)
    try:
        parts.properties[name] = read_attribute(parser, parts.variant.attributes[name], name)
    except ParseError:
        if current_token(parser) == token:
            consume_token(parser)
        parser.raise_error(f"custom op '{parts.variant.name}' invalid op kind")


def read_dimensions(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the sizes of an MMA: `16x16x4`."""
    start = parser.pos
    sizes = [parser.parse_shape_dimension(allow_dynamic=False)]
    while current_token(parser).text.startswith("x"):
        parser.parse_shape_delimiter()
        sizes.append(parser.parse_shape_dimension(allow_dynamic=False))
    names = [each.name for each in arguments if isinstance(each, Variable)]
    if len(sizes) != len(names):
        words = "expected 3 dimensions in MNK dimension list"
        parser.raise_error(f"custom op '{parts.variant.name}' {words}", start)
    for name, size in zip(names, sizes, strict=True):
        parts.properties[name] = IntegerAttr(size, i32)


def read_index_list(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `[%a, 4, [8]]`, or `(%a, 4, [8])`: dynamic values and static numbers, some scalable."""
    variables = [each.name for each in arguments if isinstance(each, Variable)]
    if not 2 <= len(variables) <= 3:
        raise NotImplementedError("unsupported index list")
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
                parts.types.setdefault(dynamic, []).append(parser.parse_type())
            numbers.append(DYNAMIC)
        else:
            numbers.append(parser.parse_integer(allow_boolean=False))
        flags.append(int(is_scalable))
        if is_scalable:
            parser.parse_punctuation("]")

    delimiter = Parser.Delimiter.PAREN if in_parentheses(arguments) else Parser.Delimiter.SQUARE
    parser.parse_comma_separated_list(delimiter, entry)
    parts.names[dynamic] = names
    parts.properties[static] = DenseArrayBase.from_list(i64, numbers)
    if scalable:
        parts.properties[scalable[0]] = DenseArrayBase.from_list(i1, flags)


def in_parentheses(arguments: Sequence[Element]) -> bool:
    """Return whether a `DynamicIndexList` uses `(...)` instead of `[...]`."""
    return any(isinstance(each, Text) and each.text.endswith("Delimiter::Paren") for each in arguments)


def read_semi_function_type(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse one type, or a function type in parentheses: `!t` or `(!t) -> !u`."""
    types = [each.arguments[0] for each in arguments if isinstance(each, Directive) and each.name == "type"]
    inputs, *outputs = types
    if parser.parse_optional_punctuation("(") is None:
        parts.put_types(parser, inputs, [parser.parse_type()])
        for each in outputs:
            parts.put_types(parser, each, [])
        return
    parts.put_types(parser, inputs, [parser.parse_type()])
    parser.parse_punctuation(")")
    parser.parse_punctuation("->")
    found: list[Attribute]
    if parser.parse_optional_punctuation("(") is not None:
        found = read_types(parser)
        parser.parse_punctuation(")")
    else:
        found = [parser.parse_type()]
    for index, each in enumerate(outputs):
        parts.put_types(parser, each, found if len(outputs) == 1 else found[index : index + 1])


def read_match_dims(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the dimensions for a transform matcher: `all`, `except(0, 1)` or `0, -1`."""
    listed, inverted, whole = [each.name for each in arguments if isinstance(each, Variable)]
    numbers: list[int] = []
    if parser.parse_optional_keyword("all") is not None:
        parts.properties[whole] = UnitAttr()
    elif parser.parse_optional_keyword("except") is not None:
        parts.properties[inverted] = UnitAttr()
        numbers = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_integer)
    else:
        numbers = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_integer)
    parts.properties[listed] = DenseArrayBase.from_list(i64, numbers)


def read_sequence_operands(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `%root, %extra : (!transform.any_op, !transform.any_param)`, or nothing."""
    root, extra = [each.name for each in arguments if isinstance(each, Variable)]
    first = parser.parse_optional_unresolved_operand()
    parts.names[root] = [] if first is None else [first]
    parts.names[extra] = []
    parts.types[root] = parts.types[extra] = []
    if first is None:
        return
    while parser.parse_optional_punctuation(",") is not None:
        parts.names[extra].append(parser.parse_unresolved_operand())
    parser.parse_punctuation(":")
    types: list[Attribute]
    if parser.parse_optional_punctuation("(") is not None:
        types = read_types(parser)
        parser.parse_punctuation(")")
    else:
        types = read_types(parser)
    parts.types[root], parts.types[extra] = types[:1], types[1:]


def type_of_text(parser: Parser, text: str) -> TypeAttribute:
    """Parse `text` as a type; memoized in the context that all files share."""
    context = parser.ctx
    assert isinstance(context, SharedContext)
    found = context.types.get(text)
    if found is None:
        found = context.types[text] = Parser(context, text).parse_type()
    return found


def read_types(parser: Parser) -> list[Attribute]:
    """Parse a comma-separated list of one or more types."""
    types: list[Attribute] = [parser.parse_type()]
    while parser.parse_optional_punctuation(",") is not None:
        types.append(parser.parse_type())
    return types
