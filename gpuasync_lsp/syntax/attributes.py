"""Attribute syntax that xDSL's parser lacks or parses differently from MLIR.

Attributes whose value is not needed are kept as text and printed unchanged: locations, sparse elements,
resources, distinct attributes, and floats and dense elements of types that Python cannot pack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    ComplexType,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    MemRefLayoutAttr,
    MemRefType,
    NoneAttr,
    NoneType,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    TupleType,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
    UnregisteredAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, BuiltinAttribute, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.affine import SpaceParser
from gpuasync_lsp.syntax.alias_sizes import MOST_SPELLED_OUT, AliasSizes
from gpuasync_lsp.syntax.dialects.llvm_attributes import TYPES_KEPT_AS_TEXT
from gpuasync_lsp.syntax.elements import (
    within_width,
    wrong_elements,
    wrong_numbers,
    wrong_sparse_elements,
)
from gpuasync_lsp.syntax.kinds import is_complex, is_integer, is_memref, vector_type
from gpuasync_lsp.syntax.locations import Mentioned, WrongLocation, check_location
from gpuasync_lsp.syntax.ods.cases import wrong_case
from gpuasync_lsp.syntax.ods.operation import OdsOperation
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.spaced_text import SpacedText, is_one_group
from gpuasync_lsp.syntax.type_texts import wrong_text
from gpuasync_lsp.syntax.xdsl_speed import current_token
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_BUILTIN_TYPE = lazy_pattern(r"[su]?i[0-9]+|b?f[0-9]+|tf32|index|none|complex|memref|tensor|tuple|vector")
_NOT_IN_MEMREF = (FunctionType, NoneType, TensorType, TupleType)
_NEVER_IN_MEMREF = frozenset(
    {"async", "emitc", "llvm", "nvgpu", "pdl", "quant", "shape", "spirv", "transform", "gpu.async.token"}
)
"""Dialects whose types are never elements of a memref, and one type of the gpu dialect."""
_NOT_IN_TENSOR = (
    FunctionType,
    MemRefType,
    NoneType,
    TensorType,
    TupleType,
    UnrankedMemRefType,
    UnrankedTensorType,
)
_NO_SPACE = (ArrayAttr, FloatAttr, TypeAttribute)
_NATIVE_FLOATS = (Float16Type, Float32Type, Float64Type, BFloat16Type)
"""Float types whose values Python's `struct` can pack."""


@irdl_attr_definition
class TextAttr(ParametrizedAttribute, BuiltinAttribute):
    """A builtin attribute kept as text, followed by its type if it has one."""

    name = "gpuasync.text"

    text: StringAttr
    type: Attribute

    def __init__(self, text: str, type: Attribute | None = None):
        super().__init__(StringAttr(text), type or NoneAttr())

    def get_type(self) -> Attribute | None:
        """The type that follows the text; None if there is none."""
        return None if isinstance(self.type, NoneAttr) else self.type

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(self.text.data)
        if not isinstance(self.type, NoneAttr):
            printer.print_string(" : ")
            printer.print_attribute(self.type)


def is_shared(name: str, value: Attribute) -> bool:
    """Return whether uses of the alias `name` refer to it by name because its definition `value` is too
    long."""
    written = (
        value.alias if isinstance(value, UnknownType) else value.text if isinstance(value, TextAttr) else None
    )
    return written is not None and written.data == name


@irdl_attr_definition
class TextLocation(ParametrizedAttribute, BuiltinAttribute):
    """A location kept as the text between the parentheses of `loc(...)`."""

    name = "gpuasync.location"

    text: StringAttr

    def __init__(self, text: str):
        super().__init__(StringAttr(text))

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(f"loc({self.text.data})")


_MOST_ELEMENTS = 1 << 14
"""The maximum number of elements of a splat, and of characters of elements that are reprinted as mlir-opt
prints them. More are kept as text, since each element becomes an object."""


@irdl_attr_definition
class UnknownLayoutAttr(MemRefLayoutAttr, BuiltinAttribute, ParametrizedAttribute):
    """A memref layout whose map is unknown: `#tiled.layout<2>`."""

    name = "gpuasync.layout"

    layout: Attribute

    def get_affine_map(self) -> AffineMap:
        """Raise NotImplementedError, since the layout's map is unknown."""
        raise NotImplementedError(f"the affine map of {self.layout} is unknown")

    def print_builtin(self, printer: Printer) -> None:
        printer.print_attribute(self.layout)


_SIZE = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.QUESTION)


def symbol_count(layout: Attribute) -> int | None:
    """Return the number of symbols of a memref layout; None if unknown."""
    if isinstance(layout, AffineMapAttr):
        return layout.data.num_symbols
    if isinstance(layout, StridedLayoutAttr):
        # Each `?` in the strides and the offset is a symbol.
        return sum(isinstance(each, NoneAttr) for each in (*layout.strides, layout.offset))
    return 0 if isinstance(layout, NoneAttr) else None


def written_as_bits(text: str, start: int) -> bool:
    """Return whether the dense literal at `start` is a string of hexadecimal digits."""
    return text.startswith('dense<"0x', start)


class AttributeSyntax(Parser):
    """xDSL's parser, extended to all of MLIR's builtin attribute syntax."""

    alias_sizes: AliasSizes
    """The expanded sizes of the aliases defined so far."""
    mentioned_locations: list[Mentioned]
    """The location aliases used so far, which may be defined later."""
    _dense = 0
    """The offset of the `dense<...>` that is being parsed."""

    def _parse_optional_builtin_parametrized_attr(self) -> Attribute | None:
        token = self._current_token
        if token.kind != MLIRTokenKind.BARE_IDENT:
            return None
        parse = _TEXTUAL.get(token.text)
        if parse is None:
            return super()._parse_optional_builtin_parametrized_attr()
        return parse(self, token.span.start)

    def parse_optional_builtin_int_or_float_attr(self) -> Any:
        token = self._current_token
        if token.kind == MLIRTokenKind.BARE_IDENT:
            return self.try_parse_builtin_boolean_attr()
        start = token.span.start
        is_negative = token.kind == MLIRTokenKind.MINUS
        if is_negative:
            self._consume_token()
            token = self._current_token
        if token.kind not in (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT):
            if is_negative:
                self.raise_error("expected constant integer or floating point value")
            return None
        self._consume_token()
        type: Attribute | None = None
        if self.parse_optional_punctuation(":") is not None:
            type = self.parse_type()
        if token.kind == MLIRTokenKind.FLOAT_LIT:
            value = -float(token.text) if is_negative else float(token.text)
            if type is None:
                return FloatAttr(value, f64)
            if not isinstance(type, AnyFloat):
                self.raise_error("floating point value not valid for specified type")
            return FloatAttr(value, type)
        number = int(token.text, 0)
        if isinstance(type, AnyFloat):
            if is_negative and token.text.startswith("0x"):
                words = "hexadecimal float literal should not have a leading minus"
                self.raise_error(words, start, self.pos)
            if not token.text.startswith("0x"):
                self.raise_error(
                    "unexpected decimal integer literal for a floating point value", start, self.pos
                )
            return self._hexadecimal_float(number, token.text, type)
        return self._integer(-number if is_negative else number, type or i64, start)

    def _integer(self, value: int, type: Attribute, start: int) -> Attribute:
        if not isinstance(type, IntegerType | IndexType):
            self.raise_error("integer literal not valid for specified type", start, self.pos)
        spelled = str(cast(Attribute, type))
        width = 64 if spelled == "index" else int(spelled.lstrip("sui"))
        lowest = 0 if spelled[0] == "u" else -(1 << max(width - 1, 0))
        limit = 1 << (width - 1 if spelled[0] == "s" else width)
        if not lowest <= value < limit and value:
            self.raise_error("integer constant out of range for attribute", start, self.pos)
        return IntegerAttr(value, cast(IndexType, type))

    def _hexadecimal_float(self, value: int, digits: str, type: AnyFloat) -> Attribute:
        """Return the float that has these bits, or the digits as text if Python cannot unpack `type`."""
        if not isinstance(type, _NATIVE_FLOATS):
            return TextAttr(digits, type)
        size = type.compile_time_size
        if value.bit_length() > 8 * size:
            self.raise_error("hexadecimal float constant out of range for type")
        return FloatAttr(next(type.iter_unpack(value.to_bytes(size, "little"))), type)

    def parse_optional_location(self) -> LocationAttr | None:
        """Parse `loc(...)` if present; an alias in it need not be defined yet."""
        token = self._current_token
        if token.kind != MLIRTokenKind.BARE_IDENT or token.text != "loc":
            return None
        text = self.lexer.input.content
        match = _PLAIN_LOCATION.match(text, token.span.end)
        if match is not None:
            inner, end = match[1], match.end()
            if inner[0] == "#":
                self.mentioned_locations.append(Mentioned(inner, match.start(1)))
        else:
            self._consume_token()
            start = self.pos + 1
            self.parse_punctuation("(")
            end = closing(text, start, ")")
            if end < 0:
                self.raise_error("expected ')' in location")
            try:
                mentioned = check_location(text, start, end, lambda at: closing(text, at, ">"))
            except WrongLocation as error:
                self.raise_error(error.words, error.position, error.position + 1)
            for each in mentioned:
                if each.name not in self.attribute_aliases and "." not in each.name:
                    at = each.position
                    self.raise_error(f"undefined symbol alias id '{each.name[1:]}'", at, at + len(each.name))
            inner, end = text[start:end], end + 1
        self._continue_at(end)
        return cast(LocationAttr, TextLocation(self._with_locations(inner) if "#" in inner else inner))

    def _with_locations(self, text: str) -> str:
        """Return the text of a location with its aliases expanded.

        Aliases that are not yet defined remain. If the result is too long, the text is returned unchanged.
        """
        parts: list[str] = []
        at = size = 0
        for match in _ALIAS.finditer(text):
            known = self.attribute_aliases.get(match[0])
            if isinstance(known, TextLocation):
                parts += (text[at : match.start()], known.text.data)
                at = match.end()
                size += len(known.text.data)
                if size > MOST_SPELLED_OUT:
                    return text
        return "".join((*parts, text[at:]))

    def parse_dense(self, start: int) -> Attribute:
        """Parse `dense<...> : type`; elements of a type that xDSL does not support are kept as text."""
        self._check_elements(start)
        self._consume_token()
        self._dense = start
        try:
            found = self._parse_builtin_dense_attr()
            # xDSL parses hexadecimal elements as numbers; for float types they are bit patterns.
            written = self.lexer.input.content[start : self.pos]
            element_type = vector_type(found.type).element_type
            if is_integer(element_type) and written.startswith('dense<"'):
                return within_width(found, element_type.width.data)
            if not isinstance(element_type, AnyFloat) or "0x" not in written or written.startswith('dense<"'):
                return found
            failure = None
        except (ParseError, NotImplementedError, ValueError, TypeError, AssertionError) as error:
            failure = error
        self._resume_from(start)
        attribute = _parse_bracketed(self, start)
        assert isinstance(attribute, TextAttr)
        element: Attribute = getattr(attribute.type, "element_type", NoneAttr())
        if is_complex(element):
            element = element.element_type
        known = isinstance(element, (IntegerType, IndexType, *_NATIVE_FLOATS, NoneAttr))
        if element == i1 and written_as_bits(self.lexer.input.content, start):
            return attribute  # Eight i1 elements share a byte; xDSL expects one byte each.
        if known and isinstance(failure, ParseError):
            raise failure
        return attribute

    def _check_elements(self, start: int) -> None:
        """Raise MLIR's error for invalid elements in the `dense<...> : type` at `start`; return to that
        position."""
        text = self.lexer.input.content
        opening = text.find("<", start)
        end = closing(text, opening + 1, ">")
        if opening < 0 or end < 0:
            return
        self._continue_at(end + 1)
        if self.parse_optional_punctuation(":") is not None:
            type = self.parse_optional_type()
            if type is not None and (wrong := wrong_elements(text[opening + 1 : end], type)) is not None:
                self.raise_error(wrong, start, end)
        self._resume_from(start)

    def _parse_builtin_densearray_attr(self) -> Any:
        start = self.pos
        text = self.lexer.input.content
        end = closing(text, start + 1, ">")
        body, colon, elements = text[start + 1 : end].partition(":")
        spelled = body.strip()
        if end >= 0 and (spelled if colon else body[:end].strip()) == "index":
            return TextAttr(f"array{self.parse_text(start, end + 1)}")
        if end < 0 or _NUMBER_TYPE.fullmatch(spelled) is None:
            return super()._parse_builtin_densearray_attr()
        self._continue_at(start + 1)
        type = self.parse_type()
        if is_integer(type) and (width := type.width.data) != 1:
            if width % 8:
                self.raise_error("element type bitwidth must be a multiple of 8", start, end)
            if colon and "//" not in elements and _INTEGERS.fullmatch(elements) is None:
                self.raise_error("expected integer literal", start, end)
            if (wrong := wrong_numbers(_WORD.findall(elements), cast(Attribute, type))) is not None:
                self.raise_error(wrong.removesuffix(" for type"), start, end)
            if width not in _WIDTHS_IN_XDSL:
                return TextAttr(f"array{self.parse_text(start, end + 1)}")
        elif type == i1 and any(each not in ("true", "false") for each in _WORD.findall(elements)):
            self.raise_error("expected 'true' or 'false' values for i1 type", start, end)
        elif isinstance(type, _NATIVE_FLOATS):
            words = _WORD.findall(elements)
            if (wrong := wrong_numbers(words, type)) is not None:
                self.raise_error(wrong, start, end)
            if "0x" in elements:
                self._continue_at(end + 1)
                return DenseArrayBase.from_list(type, [_float(each, type) for each in words])
        self._resume_from(start)
        return super()._parse_builtin_densearray_attr()

    def _parse_dense_literal_type(self) -> Any:
        written = self.pos - self._dense
        type = super()._parse_dense_literal_type()
        if (elements := prod(type.get_shape())) > max(_MOST_ELEMENTS, written):
            raise NotImplementedError(f"a splat of {elements} elements is not expanded")
        return type

    def _parse_memref_attrs(self) -> Any:
        start = self.pos
        try:
            type = super()._parse_memref_attrs()
        except ParseError as error:
            if "layout" not in (error.msg or ""):
                raise
            self._resume_from(start)
            return self._parse_memref_of_unknown_layout()
        space = type.memory_space
        if isinstance(type, UnrankedMemRefType) and isinstance(space, AffineMapAttr | StridedLayoutAttr):
            self.raise_error("cannot have affine map for unranked memref type", start, self.pos)
        if isinstance(space, _NO_SPACE):
            self.raise_error("unsupported memory space Attribute", start, self.pos)
        element = type.element_type
        if isinstance(element, _NOT_IN_MEMREF) or _dialect_of(element) in _NEVER_IN_MEMREF:
            self.raise_error("invalid memref element type", start, self.pos)
        return type

    def _parse_memref_of_unknown_layout(self) -> Attribute:
        shape, element = self.parse_ranked_shape()
        self.parse_punctuation(",")
        start = self.pos
        layout = self.parse_attribute()
        if not isinstance(layout, UnregisteredAttr):
            self.raise_error("expected layout", start)
        self.parse_punctuation(",")
        return MemRefType(element, shape, UnknownLayoutAttr(layout), self.parse_attribute())

    def _parse_tensor_attrs(self) -> Any:
        start = self.pos
        type = super()._parse_tensor_attrs()
        if isinstance(type.element_type, _NOT_IN_TENSOR):
            self.raise_error("invalid tensor element type", start, self.pos)
        return type

    def _parse_vector_attrs(self) -> Any:
        start = self.pos
        type = super()._parse_vector_attrs()
        if 0 in type.get_shape():
            self.raise_error("vector types must have positive constant sizes but got 0", start, self.pos)
        if not _may_be_in_vector(type.element_type):
            self.raise_error(
                "failed to verify 'elementType': VectorElementTypeInterface instance ", start, self.pos
            )
        return type

    def _parse_attribute_entry(self) -> tuple[str, Attribute]:
        name = self.parse_optional_identifier_or_str_literal()
        if name is None:
            self.raise_error("Expected bare-id or string-literal here as part of attribute entry!")
        if self.parse_optional_punctuation("=") is None:
            return name, UnitAttr()
        return name, self._with_type()

    def _parse_optional_array_attr(self) -> ArrayAttr[Attribute] | None:
        found = self.parse_optional_comma_separated_list(self.Delimiter.SQUARE, self._with_type)
        return None if found is None else ArrayAttr(found)

    def _with_type(self) -> Attribute:
        """Parse an attribute; a string or dialect attribute may be followed by a type."""
        token = self._current_token
        value = self.parse_attribute()
        may_have = token.kind is MLIRTokenKind.STRING_LIT or (
            token.kind is MLIRTokenKind.HASH_IDENT and self._is_spelled_out(token.text, token.span.end)
        )
        if not may_have or self.parse_optional_punctuation(":") is None:
            return value
        type = self.parse_type()
        return value if isinstance(type, NoneType) else TextAttr(attribute_text(value), type)

    def _is_spelled_out(self, name: str, end: int) -> bool:
        return "." in name or self.lexer.input.content.startswith("<", end)

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: bool) -> Any:
        content, start = self.lexer.input.content, self.pos + 1
        is_body = "." not in attr_or_dialect_name and self._current_token.text == "<"
        if is_body and not (content[start : start + 1].isalpha() or content.startswith("_", start)):
            # `!test<"...">`: the text in the brackets does not begin with a name.
            name = f"{attr_or_dialect_name}."
            kind: Any = self.ctx.get_optional_type(name) if is_type else self.ctx.get_optional_attr(name)
            end = self._raw_scan_balanced(start)
            self._continue_at(end + 1)
            return kind(name, is_type, True, content[start:end])
        if is_type:  # Two calls, since xDSL declares two overloads.
            return super()._parse_extended_type_or_attribute(attr_or_dialect_name, True)
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, False)

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: int | None
    ) -> Any:
        following = self.lexer.input.content[self.pos + 1 : self.pos + 2]
        empty = self._current_token.text == "<" and following == ">"
        start = self.pos
        found = super()._parse_dialect_type_or_attribute_body(
            attr_name, is_type, is_opaque, starting_opaque_pos
        )
        written = found if isinstance(found, UnregisteredAttr) else None
        if written is not None and (wrong := wrong_text(written.attr_name.data, written.value.data)):
            self.raise_error(wrong, start, self.pos)
        if written is not None and not is_type:
            name, body = written.attr_name.data, written.value.data
            wrong = wrong_case(name, body, in_dialect=is_opaque)
            if wrong is not None:
                self.raise_error(wrong, start + 1, self.pos - 1)
        if is_type and isinstance(found, UnregisteredAttr) and found.attr_name.data.startswith("llvm."):
            word = found.attr_name.data.removeprefix("llvm.")
            if word not in TYPES_KEPT_AS_TEXT:
                is_builtin = _BUILTIN_TYPE.fullmatch(word) is not None
                unknown = "unexpected type, expected keyword" if is_builtin else f"unknown LLVM type: {word}"
                self.raise_error(unknown, start, self.pos)
        if empty and isinstance(found, UnregisteredAttr) and not found.value.data:
            # `#spirv.entry_point_abi<>`: xDSL would omit the brackets, but its parser requires them.
            name = f"{found.attr_name.data}<>"
            kind: Any = self.ctx.get_optional_type(name) if is_type else self.ctx.get_optional_attr(name)
            return kind(name, is_type, is_opaque, "")
        if written is not None:
            kind = type(written)
            body, is_opaque = written.value.data, bool(written.is_opaque.data)
            if is_opaque and (not body or is_one_group(body)):
                # `!foo<t<4>>` is another spelling of `!foo.t<4>`; mlir-opt prints the latter.
                body, is_opaque = body[1:-1], False
            return kind(written.attr_name, written.is_type, is_opaque, StringAttr(SpacedText(body)))
        return found

    def _parse_dialect_symbol_body(self) -> str:
        body = _SPACE_OR_STRING.sub(
            lambda match: match[0] if match[0][0] == '"' else " ", super()._parse_dialect_symbol_body()
        )
        return self.spell_out_aliases(body)

    def spell_out_aliases(self, text: str) -> str:
        """Return `text` with its aliases expanded, since text stored in the IR cannot refer to their
        definitions.

        Aliases of aliases can grow exponentially; text that would become too long is returned
        unchanged.
        """
        if not self.attribute_aliases or ("#" not in text and "!" not in text):
            return text
        parts: list[str] = []
        size = at = 0
        for match in _ALIAS_OR_STRING.finditer(text):
            known = self.attribute_aliases.get(match[0])
            if known is None:
                continue
            stands_for = attribute_text(known)
            if isinstance(known, TextLocation):  # A location may contain aliases of other attributes.
                stands_for = self.spell_out_aliases(stands_for)
            parts += (text[at : match.start()], stands_for)
            size += len(stands_for)
            at = match.end()
            if size > MOST_SPELLED_OUT:
                return text
        return "".join((*parts, text[at:]))

    def parse_affine_map(self) -> AffineMap:
        """Parse `(d0)[s0] -> (d0 * s0)`, including semi-affine maps, which xDSL rejects."""
        return SpaceParser(self._parser_state).parse_affine_map()

    def parse_affine_set(self) -> AffineSet:
        """Parse an affine set: `(d0)[s0] : (d0 - s0 >= 0)`."""
        return SpaceParser(self._parser_state).parse_affine_set()

    def parse_dimension_list(self) -> list[int]:
        """Parse the sizes of `2x?x`; unlike xDSL's parser, it accepts spaces between them."""
        sizes: list[int] = []
        while self._current_token.kind in _SIZE:
            sizes.append(self.parse_shape_dimension())
            at = self.pos
            if self._parse_optional_shape_delimiter() is None:
                break
            if self._current_token.kind not in _SIZE:
                # The parser of the element type consumes the last `x`.
                self._resume_from(at)
                break
        return sizes

    def _parse_alias_def(self) -> None:
        start = self.pos
        name = self._current_token.text
        if "." in name:
            kind = "type" if name[0] == "!" else "attribute"
            words = f"{kind} names with a '.' are reserved for dialect-defined names"
            self.raise_error(words, start, start + len(name))
        try:
            super()._parse_alias_def()
        except (ParseError, RecursionError):
            raise
        except Exception as error:  # noqa: BLE001 - an attribute class that trips over bad input
            self.raise_error(str(error) or repr(error), start)
        value = self.attribute_aliases[name]
        if name[0] == "#" and not isinstance(value, TypeAttribute) and self._current_token.text == ":":
            self._consume_token()
            self.attribute_aliases[name] = TextAttr(attribute_text(value), self.parse_type())
        text = self.lexer.input.content
        if not self.alias_sizes.define(name, text[start + len(name) : self.pos]):
            value = self.attribute_aliases[name]
            if isinstance(value, TextLocation):
                return  # A TextLocation does not expand aliases.
            # Ops use the alias by name; a printed module repeats its definition (`Chunk.shared_aliases`).
            self.attribute_aliases[name] = UnknownType(name) if name[0] == "!" else TextAttr(name)

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        op = super()._parse_generic_operation(op_type)
        if issubclass(op_type, OdsOperation):
            for name in op_type.inherent() & op.attributes.keys():
                op.properties.setdefault(name, op.attributes.pop(name))
        for old, new in _OLD_SEGMENTS:
            if old in op.attributes and new not in op.properties:
                op.properties[new] = op.attributes.pop(old)
        return op

    def _continue_at(self, position: int) -> None:
        """Move to the token at `position`; unlike `_resume_from`, keep the end of the last consumed token."""
        self.lexer.pos = position
        self._parser_state.current_token = self.lexer.lex()

    def parse_text(self, start: int, end: int) -> str:
        """Return the text from `start` to `end`, and continue parsing at `end`."""
        self._continue_at(end)
        return self.lexer.input.content[start:end]

    def parse_untyped_elements(self, type: Attribute) -> Attribute:
        """Parse `dense<...>` without a type, as in `memref.global`; the elements have the shape of `type`."""
        if is_memref(type):
            memref = type
            type = TensorType(memref.element_type, memref.get_shape())
        text, start = self.lexer.input.content, self.pos
        end = closing(text, text.find("<", start) + 1, ">")
        if end < 0:
            return self.parse_attribute()
        wrong = wrong_elements(text[text.find("<", start) + 1 : end], type)
        if wrong is not None and text.startswith("dense<", start):
            self.raise_error(wrong, start, end)
        written = self.parse_text(start, end + 1)
        if self.parse_optional_punctuation(":") is not None:
            self.raise_error("the preceding type is that of the elements: no type may follow them")
        return TextAttr(self._as_printed(written, type), type)

    def _as_printed(self, written: str, type: Attribute) -> str:
        """Return elements in mlir-opt's spelling; unchanged if they are too long or unsupported."""
        if not written.startswith("dense<") or len(written) > _MOST_ELEMENTS:
            return written
        try:
            found = AttributeSyntax(self.ctx, f"{written} : {type}").parse_attribute()
        except ParseError:
            return written
        return attribute_text(found).removesuffix(f" : {attribute_text(type)}")


def closing(text: str, position: int, bracket: str) -> int:
    """Return the offset of the `bracket` that closes the bracket before `position`; -1 if there is none."""
    depth = 0
    for match in _BRACKET_OR_STRING.finditer(text, position):
        token = match[0]
        if token in "([{<":
            depth += 1
        elif token in ")]}>":
            if depth == 0:
                return match.start() if token == bracket else -1
            depth -= 1
    return -1


def pieces(text: str, separator: str) -> Iterator[str]:
    """Split `text` at a comma or an equals sign that is outside of brackets and strings; yield the parts."""
    depth, start = 0, 0
    for match in _SEPARATOR.finditer(text):
        token = match[0]
        if token in "([{<":
            depth += 1
        elif token in ")]}>":
            depth -= 1
        elif token == separator and depth == 0:
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


_BRACKET_OR_STRING = lazy_pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"?|->|[()\[\]{}<>]')
_NUMBER_TYPE = lazy_pattern(r"i[0-9]{1,8}|f16|f32|f64|bf16")
_INTEGERS = lazy_pattern(r"\s*(?:(?:-?[0-9]\w*|true|false)\s*(?:,\s*(?:-?[0-9]\w*|true|false)\s*)*)?")
_WIDTHS_IN_XDSL = (8, 16, 32, 64)
"""Integer widths for which xDSL supports dense arrays."""
_WORD = lazy_pattern(r"[\w.+-]+")
_SEPARATOR = lazy_pattern(rf"{_BRACKET_OR_STRING.pattern}|[,=]")
_SPACE_OR_STRING = lazy_pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"?|\s+|//[^\n]*')
"""Matches spaces, which are normalized, and strings, whose spaces are kept."""
_PLAIN_LOCATION = lazy_pattern(r'[ ]?\(((?:"[^"\\\n]*"(?::[0-9]+:[0-9]+)?|#[A-Za-z0-9_.$]+|unknown))\)')
_ALIAS_OR_STRING = lazy_pattern(r'"(?:[^"\\]|\\.)*"?|//[^\n]*|[#!][A-Za-z_][\w$-]*[.<]?')
_ALIAS = lazy_pattern(r"#[A-Za-z_][A-Za-z0-9_.$]*")
_OLD_SEGMENTS = (
    ("operand_segment_sizes", "operandSegmentSizes"),
    ("result_segment_sizes", "resultSegmentSizes"),
)
"""Segment-size attributes of generic forms through LLVM 17, in snake case, and their current names."""


def _parse_bracketed(parser: AttributeSyntax, start: int) -> Attribute:
    """Parse `sparse<...> : type` or another attribute of this form as text."""
    name = current_token(parser).text
    text = parser.lexer.input.content
    opening = text.find("<", start)
    end = closing(text, opening + 1, ">")
    if end < 0:
        parser.raise_error("expected '<'")
    body = parser.parse_text(start, end + 1)
    if name == "dense_resource":
        key = _KEY.match(text, opening + 1, end)
        if key is None:
            parser.raise_error("expected identifier key for 'resource' entry", opening + 1, end)
        if key.end() != end:
            parser.raise_error("expected '>'", key.end(), end)
    parser.parse_punctuation(":")
    type = parser.parse_type()
    if name == "sparse":
        parts = [*pieces(text[opening + 1 : end], ",")]
        if (wrong := wrong_sparse_elements(parts, type)) is not None:
            parser.raise_error(wrong, start, end)
    elif name == "dense_resource" and isinstance(type, (IntegerType, IndexType, AnyFloat, ComplexType)):
        parser.raise_error("`dense_resource` expected a shaped type", start, end)
    return TextAttr(body, type)


def _parse_distinct(parser: AttributeSyntax, start: int) -> Attribute:
    text = parser.lexer.input.content
    number = _DISTINCT.match(text, start)
    if number is None:
        parser.raise_error("expected distinct ID", start, start + len("distinct"))
    opening = number.end()
    if not text.startswith("<", opening):
        parser.raise_error("expected '<' after distinct ID", start, opening)
    end = closing(text, opening + 1, ">")
    if end < 0 or len([*pieces(text[opening + 1 : end], ",")]) > 1:
        parser.raise_error("expected '>' to close distinct attribute", opening, opening + 1)
    return TextAttr(parser.parse_text(start, end + 1))


_KEY = lazy_pattern(r'\s*(?:[A-Za-z_][\w$.]*|"(?:[^"\\\n]|\\.)*")\s*')
_DISTINCT = lazy_pattern(r"distinct\s*\[\s*(?:0x[0-9a-fA-F]+|[0-9]+)\s*\]\s*")
_TEXTUAL: dict[str, Callable[[AttributeSyntax, int], Attribute]] = {
    "sparse": _parse_bracketed,
    "dense_resource": _parse_bracketed,
    "dense": AttributeSyntax.parse_dense,
    "distinct": _parse_distinct,
}


def _float(text: str, type: AnyFloat) -> float:
    if "0x" not in text:
        return float(text)
    return next(iter(type.iter_unpack(int(text, 16).to_bytes(type.compile_time_size, "little"))))


def _may_be_in_vector(element: Attribute) -> bool:
    """Return whether `element` can be an element type of a vector; true for types of unknown dialects."""
    if isinstance(element, (IntegerType, IndexType, AnyFloat, UnregisteredAttr)):
        return True
    return not isinstance(element, TypeAttribute) or element.name in ("llvm.ptr", "llvm.ppc_fp128")


def _dialect_of(type: Attribute) -> str:
    """Return the dialect of a type; for a type of the gpu dialect, the type's full name."""
    name = type.attr_name.data if isinstance(type, UnregisteredAttr) else type.name
    return name if name.startswith("gpu.") else name.partition(".")[0]
