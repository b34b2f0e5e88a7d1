"""The layer of types and symbols: each spelling is parsed once per context."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.ir.affine import AffineMap
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.kinds import is_memref
from gpuasync_lsp.syntax.parser.tokens import TokenParser

A = TypeVar("A", bound=Attribute)

_DEFAULT_SPACE: Attribute = IntegerAttr(0, 64)
_PLAIN_SYMBOL = re.compile(r"@[a-zA-Z_][a-zA-Z0-9_$.]*(?:::@[a-zA-Z_][a-zA-Z0-9_$.]*)*")
_COLON = re.compile(r"[ \t\n\r]*:")
_SIMPLE_TYPE = re.compile(
    r"!gpu\.async\.token\b(?!<)|index\b|[if][0-9]+\b|!llvm\.ptr(?![<\w.$])|(?:memref|vector|tensor)<[^<>#!\n]*(?:<[^<>#!\n]*>[^<>#!\n]*)*>"
)
"""Matches types on one line; after an unclosed bracket it scans only to the end of that line."""


class KnownAttributes(TokenParser):
    """Parses types and symbol references, reusing cached ones with the same text."""

    def parse_optional_attribute(self) -> Attribute | None:
        """Parse an attribute if present; a symbol reference is cached."""
        if self._token.kind != MLIRTokenKind.AT_IDENT:
            return super().parse_optional_attribute()
        return self._once(_PLAIN_SYMBOL, self._shared.symbols, super().parse_optional_attribute)

    def parse_optional_type(self) -> TypeAttribute | None:
        """Parse a type if present; a type without aliases is cached."""
        return self._once(_SIMPLE_TYPE, self._shared.types, super().parse_optional_type)

    def _once(self, pattern: re.Pattern[str], known: dict[str, A], parse: Callable[[], A | None]) -> A | None:
        """Return the cached value for the text that `pattern` matches, or parse it and cache it in
        `known`."""
        match = pattern.match(self.text, self.pos)
        if match is None or (pattern is _PLAIN_SYMBOL and _COLON.match(self.text, match.end())):
            return parse()
        found = known.get(match[0])
        if found is not None:
            self.lexer.pos = match.end()
            self._parser_state.current_token = self.lexer.lex()
            return found
        found = parse()
        if found is not None and self.lexer_end == match.end():
            known[match[0]] = found
        return found

    def _parse_memref_attrs(self) -> Any:
        start = self.pos
        found: Any = super()._parse_memref_attrs()
        if not is_memref(found):
            return found
        # MLIR's MemRefType drops default values: an identity layout, memory space 0.
        layout, space = found.layout, found.memory_space
        rank = len(found.get_shape())
        if isinstance(layout, AffineMapAttr) and layout.data.num_dims != rank:
            words = f"memref layout mismatch between rank and affine map: {rank} != {layout.data.num_dims}"
            self.raise_error(words, start)
        if isinstance(layout, StridedLayoutAttr) and len(layout.strides) != rank:
            self.raise_error("expected the number of strides to match the rank", start)
        if (
            isinstance(layout, AffineMapAttr)
            and layout.data.results == AffineMap.identity(len(found.get_shape())).results
        ):
            layout = NoneAttr()
        if space == _DEFAULT_SPACE:
            space = NoneAttr()
        return MemRefType(found.element_type, found.shape, layout, space)
