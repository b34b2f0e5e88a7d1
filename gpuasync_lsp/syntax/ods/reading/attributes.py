"""Parses attributes as the op's definition spells them: numbers without types, enumeration cases, short
forms."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    UnregisteredAttr,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.kinds import is_data
from gpuasync_lsp.syntax.lexer import FastLexer
from gpuasync_lsp.syntax.ods.cases import kind_of, no_case
from gpuasync_lsp.syntax.ods.table import AttrConstraint
from gpuasync_lsp.syntax.shared_context import MOST_NAMES
from gpuasync_lsp.syntax.xdsl_speed import consume_token, current_token, punctuation, resume_from, symbol_body

_ARRAY_TYPES = {"#i8-array": i8, "#i16-array": i16, "#i32-array": i32, "#i64-array": i64, "#bool-array": i1}
_FLOATS = {"f32": f32, "f64": f64}
_IS_STRING = ["is", "#string"]
_ATTRIBUTE_STARTS = (
    MLIRTokenKind.HASH_IDENT,
    MLIRTokenKind.INTEGER_LIT,
    MLIRTokenKind.FLOAT_LIT,
    MLIRTokenKind.STRING_LIT,
    MLIRTokenKind.AT_IDENT,
)


def array_type(constraint: AttrConstraint) -> IntegerType | None:
    """Return the element type if a constraint requires a dense array of integers, else None."""
    predicate = constraint.predicate
    while predicate and predicate[0] == "and":
        predicate = predicate[1]
    return _ARRAY_TYPES.get(str(predicate[1])) if predicate and predicate[0] == "is" else None


def read_attribute(parser: Parser, constraint: AttrConstraint, name: str) -> Attribute:
    """Parse the attribute `name`. Raises a ParseError, or NotImplementedError if it is not supported."""
    token = current_token(parser)
    if constraint.kind == "symbol-name":
        return parser.parse_symbol_name()
    if token.kind == MLIRTokenKind.HASH_IDENT:
        return parser.parse_attribute()
    if constraint.kind == "enum":
        return _enumeration(parser, constraint, name)
    if constraint.kind == "def":
        return _of_dialect(parser, constraint)
    element = array_type(constraint)
    if element is not None and token.text == "[":
        numbers = parser.parse_comma_separated_list(
            Parser.Delimiter.SQUARE, lambda: int(parser.parse_integer(allow_boolean=True))
        )
        return DenseArrayBase.from_list(element, numbers)
    if constraint.type:
        return _typed(parser, constraint.type)
    if token.text == "<" and (required := required_name(constraint)):
        return read_sugared(parser, parser.ctx.get_optional_attr(required), required, is_type=False)
    return parser.parse_attribute()


def required_name(constraint: AttrConstraint) -> str:
    """Return the name of the only attribute of a dialect that a constraint allows; empty if there is none."""
    predicate = constraint.predicate
    while predicate and predicate[0] == "and":
        predicate = predicate[1]
    name = str(predicate[1]) if predicate and predicate[0] == "is" else ""
    return name.removeprefix("#") if name.startswith("#") and "." in name else ""


def read_optional_attribute(parser: Parser, constraint: AttrConstraint, name: str) -> Attribute | None:
    """Parse the attribute `name` if present. For exceptions, see `read_attribute`."""
    token = current_token(parser)
    if constraint.kind in ("enum", "def") and constraint.cases and token.text in constraint.cases:
        return read_attribute(parser, constraint, name)
    if constraint.kind == "symbol-name" and token.kind == MLIRTokenKind.AT_IDENT:
        return read_attribute(parser, constraint, name)
    if constraint.kind == "enum" or (constraint.kind == "def" and constraint.format == "$value"):
        if token.kind == MLIRTokenKind.HASH_IDENT:
            return parser.parse_attribute()
        return None
    if constraint.kind == "def":
        if token.kind == MLIRTokenKind.HASH_IDENT or token.text == "<":
            return read_attribute(parser, constraint, name)
        return None
    if array_type(constraint) is not None:
        if token.text != "[":
            return None
        return read_attribute(parser, constraint, name)
    if constraint.kind == "any" and _is_array(constraint) and token.text != "[":
        return None
    if constraint.predicate == _IS_STRING and token.kind != MLIRTokenKind.STRING_LIT:
        return None
    if token.kind in _ATTRIBUTE_STARTS or token.text in ("[", "{", "-"):
        return read_attribute(parser, constraint, name)
    if token.kind == MLIRTokenKind.BARE_IDENT:
        return parser.parse_optional_attribute()
    return None


def _is_array(constraint: AttrConstraint) -> bool:
    predicate = constraint.predicate or ()
    return len(predicate) > 1 and predicate[0] == "and" and predicate[1] == ["is", "#array"]


def _enumeration(parser: Parser, constraint: AttrConstraint, name: str) -> Attribute:
    token = current_token(parser)
    word = token.text
    if token.kind == MLIRTokenKind.STRING_LIT:
        word = parser.parse_str_literal()
        if word not in constraint.cases:
            parser.raise_error(f'invalid {name} attribute specification: "{word}"', token.span)
    elif token.kind == MLIRTokenKind.BARE_IDENT and word in constraint.cases:
        consume_token(parser)
    else:
        words = f"attribute '{name}' [{', '.join(constraint.cases)}]"
        parser.raise_error(
            f"expected string or keyword containing one of the following enum values for {words}"
        )
    return _number(constraint.values[constraint.cases.index(word)], constraint.type)


@lru_cache(maxsize=1_024)
def _number(value: int, type: str) -> Attribute:
    return IntegerAttr(value, IntegerType(int(type[1:])))


ASSIGNMENTS = frozenset({"xevm.src_etype", "xevm.dst_etype", "xevm.ext_src_etype", "xevm.ext_dst_etype"})
"""Attributes spelled as a name, `=` and a keyword, without angle brackets: `src_etype = f16`."""


def _assignment(parser: Parser, name: str) -> Attribute:
    word = parser.parse_identifier()
    parser.parse_punctuation("=")
    return Parser(parser.ctx, f"#{name}<{word} = {parser.parse_identifier()}>").parse_attribute()


def _of_dialect(parser: Parser, constraint: AttrConstraint) -> Attribute:
    name = constraint.written
    if not name and _is_builtin(constraint):
        return parser.parse_attribute()
    if not name:
        raise NotImplementedError("unnamed attribute")
    kind = parser.ctx.get_optional_attr(name)
    if kind is None or not issubclass(kind, UnregisteredAttr):
        return read_sugared(parser, kind, name, is_type=False)
    if current_token(parser).text == "<":
        start = parser.pos
        found = kind(name, False, False, symbol_body(parser))
        if (wrong := no_case(constraint, found.value.data)) is not None:
            parser.raise_error(wrong, start + 1, parser.pos - 1)
        return found
    if name in ASSIGNMENTS:
        return _assignment(parser, name)
    if not constraint.cases or constraint.format not in ("$value", ""):
        raise NotImplementedError("unsupported attribute syntax")
    token = current_token(parser)
    word = token.text
    if token.kind == MLIRTokenKind.STRING_LIT:
        word = parser.parse_str_literal()
    elif token.kind == MLIRTokenKind.BARE_IDENT:
        consume_token(parser)
    else:
        parser.raise_error(f"expected keyword for {constraint.summary or name}")
    if word not in constraint.cases:
        parser.raise_error(
            f"expected {kind_of(constraint)} to be one of: {', '.join(constraint.cases)}", token.span
        )
    words = [word]
    separator = punctuation(constraint.separator)
    while separator and parser.parse_optional_punctuation(separator) is not None:
        words.append(parser.parse_identifier())
    return kind(name, False, True, " " + constraint.separator.join(words))


def _is_builtin(constraint: AttrConstraint) -> bool:
    """Return whether a constraint requires a builtin attribute, such as a string."""
    predicate = constraint.predicate or ("", "")
    return predicate[0] == "is" and str(predicate[1]).startswith("#") and "." not in str(predicate[1])


def _typed(parser: Parser, spelled: str) -> Attribute:
    """Parse a number without a following type; `spelled` is the type that its definition requires."""
    type = _builtin_type(spelled)
    token = current_token(parser)
    if token.text in ("true", "false") and type == i1:
        consume_token(parser)
        return IntegerAttr.from_bool(token.text == "true")
    negative = parser.parse_optional_punctuation("-") is not None
    token = current_token(parser)
    if token.kind == MLIRTokenKind.INTEGER_LIT and isinstance(type, IntegerType | IndexType):
        consume_token(parser)
        number = int(token.text, 0)
        if parser.parse_optional_punctuation(":") is not None:
            # A colon belongs to the format: MLIR accepts no type here.
            resume_from(parser, token.span.start + len(token.text))
        integer = cast("IntegerType[int, Signedness] | IndexType", type)
        return IntegerAttr(-number if negative else number, integer)
    if token.kind in (MLIRTokenKind.FLOAT_LIT, MLIRTokenKind.INTEGER_LIT) and isinstance(type, AnyFloat):
        consume_token(parser)
        number = float(token.text)
        return FloatAttr(-number if negative else number, type)
    if negative:
        raise NotImplementedError("unsupported number syntax")
    return parser.parse_attribute()


def read_sugared(parser: Parser, kind: type[Attribute] | None, name: str, *, is_type: bool) -> Attribute:
    """Parse a type or an attribute of a dialect in the short form without its name."""
    if kind is None:
        raise NotImplementedError(name)
    if issubclass(kind, UnregisteredAttr):
        return kind(name, is_type, False, symbol_body(parser))
    if issubclass(kind, ParametrizedAttribute):
        return kind.new(kind.parse_parameters(parser))
    if not is_data(kind):
        raise NotImplementedError(name)
    words = _WORDS.match(parser.lexer.input.content, parser.pos)
    if words is None:
        return kind.new(kind.parse_parameter(parser))
    key = kind, words[0]
    found = _OF_WORDS.get(key)
    if found is not None:
        resume_from(parser, words.end())
        return found
    found = kind.new(kind.parse_parameter(parser))
    lexer = parser.lexer
    if isinstance(lexer, FastLexer) and lexer.previous_end == words.end() and len(_OF_WORDS) < MOST_NAMES:
        _OF_WORDS[key] = found
    return found


_WORDS = re.compile(r"<[a-z]+(?:, ?[a-z]+)*>")
"""Matches attributes that consist only of keywords, whose value does not depend on the context: `<nsw,
nuw>`."""
_OF_WORDS: dict[tuple[type[Attribute], str], Attribute] = {}
"""Memoized attributes, keyed by class and text: most programs repeat the same few flags."""


def _builtin_type(spelled: str) -> Attribute:
    if spelled == "index":
        return IndexType()
    if spelled[0] == "i":
        return IntegerType(int(spelled[1:]))
    if spelled in _FLOATS:
        return _FLOATS[spelled]
    raise NotImplementedError(spelled)
