"""What is wrong with a text, and how op classes say that they cannot read it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import NamedTuple

from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.ods.table import Variant
from gpuasync_lsp.syntax.spans import SpanTable
from gpuasync_lsp.text import Span

TRIPPED = (
    VerifyException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)
"""What op and attribute classes raise when the text is not what they expect: it costs this op only."""


NOT_CLOSED = "this region is not closed: expected '}'"


class Unsupported(ParseError):
    """Text that may be right and that xDSL does not read."""

    lacking: Mapping[Variant, str] = {}
    """What some releases say of it."""


class Problem(NamedTuple):
    """An error of the text: a rule's code, where, and what is wrong in MLIR's words."""

    code: str
    span: Span
    message: str
    related: tuple[tuple[Span, str], ...] = ()
    statement: Span | None = None
    """Where it is of one statement alone: from its start, or a place in it, to where the parser has looked.
    None where it has to do with other statements."""
    earlier: str = ""
    """What releases say that have other words (`older_words.py`); empty if all say the same."""

    @property
    def place(self) -> tuple[Span, Span]:
        """Where it stands among others."""
        return self.span, self.statement or self.span

    def moved(self, place: Callable[[Span], Span]) -> Problem:
        """Return the problem with all its places as `place` moves them."""
        related = tuple((place(span), message) for span, message in self.related)
        statement = None if self.statement is None else place(self.statement)
        return self._replace(span=place(self.span), related=related, statement=statement)

    def in_release(self, version: int) -> str:
        """Return what LLVM `version` says."""
        return self.earlier if self.earlier and not profile(version).says_current_words else self.message


def not_closed(text: str, brace: int, spans: SpanTable, op: Operation | None) -> Problem:
    """Return what is wrong with a `brace` in the statement `op` that is read as if its line closed it."""
    statement = None
    if op is not None:
        end = text.find("\n", brace)
        statement = Span(spans.op(op).start, end if end >= 0 else len(text))
    return Problem("GA001", Span(brace, brace + 1), NOT_CLOSED, statement=statement)
