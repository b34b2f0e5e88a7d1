"""Enumerations that an assembly writes as a word: `Logical` for `#spirv.addressing_model<Logical>`."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.parser import Parser

from gpuasync_lsp.syntax.ods.table import entry
from gpuasync_lsp.syntax.printer import attribute_text


def read_word(parser: Parser, op: str, name: str, word: str) -> Attribute:
    """Return the attribute `name` of `op` that `word` stands for; raises a ParseError for no case of it."""
    found = entry(op)
    constraint = None if found is None else found.variants[-1].attributes.get(name)
    if constraint is None or not constraint.written:
        raise NotImplementedError(name)
    words = word.split(constraint.separator) if constraint.separator else [word]
    if constraint.cases and not set(words) <= set(constraint.cases):
        parser.raise_error(f"custom op '{op}' invalid {name} attribute specification: \"{word}\"")
    return Parser(parser.ctx, f"#{constraint.written}<{word}>").parse_attribute()


def word_of(attribute: Attribute) -> str:
    """Return the word of an enumeration."""
    return attribute_text(attribute).partition("<")[2].removesuffix(">")
