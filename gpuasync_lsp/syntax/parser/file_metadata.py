"""Parses the metadata of a file: `{-# dialect_resources: {...}, external_resources: {...} #-}`."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.utils.mlir_lexer import MLIRTokenKind, PunctuationSpelling

from gpuasync_lsp.syntax.lexer import FastToken
from gpuasync_lsp.syntax.ods.table import mlir_dialects
from gpuasync_lsp.syntax.parser.tokens import TokenParser
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_NAMES_ITS_RESOURCES = ("llvm", "ml_program", "sparse_tensor")
"""Dialects for which MLIR reports an unknown resource key, in some release.

For any other MLIR dialect except builtin, it rejects the whole section."""
_BLOB = lazy_pattern(r'"0[xX](?:[0-9a-fA-F]{2})*"')
_ALIGNED = 8
"""The number of hexadecimal digits that encode the alignment of a blob."""


def parse_file_metadata(parser: TokenParser) -> None:
    """Parse the metadata at the position of `parser` like MLIR's `parseFileMetadataDictionary`.

    Resources of dialects outside of MLIR may have any value. Raises xdsl's ParseError.
    """
    parser.parse_punctuation("{-#")

    def section() -> None:
        start = parser.pos
        match _key(parser, "expected identifier key in file metadata dictionary"):
            case "dialect_resources":
                parser.parse_punctuation(":")
                _resources(parser, lambda: _resource_of_dialect(parser))
            case "external_resources":
                parser.parse_punctuation(":")
                _resources(parser, lambda: _external_resource(parser))
            case key:
                parser.parse_punctuation(":")
                words = f"unknown key '{key}' in file metadata dictionary"
                parser.raise_error(words, start, start + len(key))

    _until(parser, "#-}", section)


def _resources(parser: TokenParser, entries: Callable[[], None]) -> None:
    parser.parse_punctuation("{")
    _until(parser, "}", entries)


def _resource_of_dialect(parser: TokenParser) -> None:
    dialect = _key(parser, _NO_KEY)
    parser.parse_punctuation(":")
    parser.parse_punctuation("{")
    if dialect in mlir_dialects() and dialect not in ("builtin", *_NAMES_ITS_RESOURCES):
        parser.raise_error(f"unexpected 'resource' section for dialect '{dialect}'")

    def entry() -> None:
        start = parser.pos
        key = _entry(parser)
        if dialect in _NAMES_ITS_RESOURCES:
            words = f"unknown 'resource' key '{key}' for dialect '{dialect}'"
            parser.raise_error(words, start, start + len(key))
        parser.parse_punctuation(":")
        value = _value(parser)
        if dialect == "builtin":
            _check_blob(parser, key, value)

    _until(parser, "}", entry)


def _external_resource(parser: TokenParser) -> None:
    _key(parser, _NO_KEY)
    parser.parse_punctuation(":")
    parser.parse_punctuation("{")

    def entry() -> None:
        key = _entry(parser)
        parser.parse_punctuation(":")
        value = _value(parser)
        if value.text.startswith('"0x'):
            _check_blob(parser, key, value)
        elif value.kind != MLIRTokenKind.STRING_LIT and value.text not in ("true", "false"):
            parser.raise_error(
                f"expected string value for key '{key}'", value.start, value.start + len(value.text)
            )

    _until(parser, "}", entry)


_NO_KEY = "expected identifier key for 'resource' entry"


def _key(parser: TokenParser, otherwise: str) -> str:
    """Parse an identifier and return it; raise a ParseError with the message `otherwise` if there is none."""
    return parser.expect(parser.parse_optional_identifier, otherwise)


def _entry(parser: TokenParser) -> str:
    """Parse the name of a resource, an identifier or a string."""
    return parser.expect(parser.parse_optional_identifier_or_str_literal, _NO_KEY)


def _value(parser: TokenParser) -> FastToken:
    value = parser.take_token()
    if value.kind == MLIRTokenKind.EOF:
        parser.raise_error("expected string value")
    return value


def _check_blob(parser: TokenParser, key: str, value: FastToken) -> None:
    """Raise xdsl's ParseError unless `value` is a string with alignment and data in hexadecimal."""
    words = f"expected hex string blob for key '{key}'"
    if _BLOB.fullmatch(value.text) is not None:
        words += " to encode alignment in first 4 bytes"
        digits = value.text[3 : 3 + _ALIGNED]
        alignment = int.from_bytes(bytes.fromhex(digits.removesuffix('"')), "little")
        if len(digits) == _ALIGNED and alignment.bit_count() <= 1:
            return
        if len(digits) == _ALIGNED:
            words += f", but got non-power-of-2 value: {alignment}"
    parser.raise_error(words, value.start, value.start + len(value.text))


def _until(parser: TokenParser, end: PunctuationSpelling, parse: Callable[[], None]) -> None:
    """Parse a comma-separated list with `parse`, up to and including `end`."""
    if parser.parse_optional_punctuation(end):
        return
    parse()
    while not parser.parse_optional_punctuation(end):
        if parser.parse_optional_punctuation(",") is None:
            parser.raise_error(f"expected ',' or '{end}'")
        parse()
