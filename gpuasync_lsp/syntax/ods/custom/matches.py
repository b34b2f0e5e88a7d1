"""`@matcher -> @action`: the pairs of matchers and actions of `transform.foreach_match`.

Source: `parseForeachMatchSymbols` in TransformOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser

from gpuasync_lsp.syntax.ods.custom.parts import Written, names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts


def read_matches(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse pairs of matchers and actions: `@a -> @b, @c -> @d`."""

    def pair() -> tuple[Attribute, Attribute]:
        matcher = parser.parse_attribute()
        parser.parse_punctuation("->")
        return matcher, parser.parse_attribute()

    pairs = parser.parse_comma_separated_list(parser.Delimiter.NONE, pair)
    for name, symbols in zip(names(arguments), zip(*pairs, strict=True), strict=True):
        parts.properties[name] = ArrayAttr(symbols)


def write_matches(written: Written, arguments: Sequence[Element]) -> None:
    """Print each pair of a matcher and an action on a separate line."""
    matchers, actions = (
        cast("ArrayAttr[Attribute]", written.op.properties[name]).data for name in names(arguments)
    )
    for index, (matcher, action) in enumerate(zip(matchers, actions, strict=True)):
        written.printer.print_string(", " if index else "")
        written.printer.print_attribute(matcher)
        written.printer.print_string(" -> ")
        written.printer.print_attribute(action)
