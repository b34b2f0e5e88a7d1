"""Symbols defined by ops in the generic form, `"func.func"() <{sym_name = "f"}> ({...})`.

In the generic form the name may come before or after the body, which is in parentheses. So the nesting comes
from the parsed ops, and the symbols of an item that does not parse are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from xdsl.ir import Operation

from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.syntax.symbols import symbol_name
from gpuasync_lsp.text import Span

_NAMED = re.compile(r'\bsym_name[ \t]*=[ \t]*("(?:[^"\\\n\r]|\\.)*")')
_BODY, _BODY_END = "({", "})"


class GenericSymbol(NamedTuple):
    """A symbol of the generic form, with spans in its item."""

    path: tuple[str, ...]
    """The name, preceded by the names of the enclosing symbols."""
    op_name: str
    name: Span
    """The string that contains the name, including the quotes."""
    span: Span
    """The whole op."""
    header: str
    """The op without its body."""


def generic_symbols(item: Item) -> Iterator[GenericSymbol]:
    """Yield the symbols that ops of `item` in the generic form define, in the order of their names."""
    text, spans = item.text, item.spans
    if "sym_name" not in text:
        return
    for match in _NAMED.finditer(text):
        op = spans.innermost(item.ops, match.start())
        if op is None or symbol_name(op) != match[1][1:-1]:
            continue
        places = spans.ops[op]
        written = places.name.of(text)
        if written.startswith('"'):
            start, end = places.whole
            body = text.find(_BODY, places.name.end, end)
            header = (
                text[start:end]
                if body < 0
                else text[start:body] + text[text.rfind(_BODY_END, body, end) : end]
            )
            yield GenericSymbol(_path(op), written.strip('"'), Span(*match.span(1)), places.whole, header)


def _path(op: Operation) -> tuple[str, ...]:
    around: Operation | None = op
    names: list[str] = []
    while around is not None:
        names.append(symbol_name(around))
        around = around.parent_op()
    return tuple(name for name in reversed(names) if name)
