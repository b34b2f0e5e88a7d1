"""Errors in a source, and exceptions for text that cannot be parsed."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import NamedTuple

from xdsl.utils.exceptions import ParseError, VerifyException

from gpuasync_lsp.releases.table import neighbors
from gpuasync_lsp.syntax.ods.table import Variant
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
"""Exceptions that op and attribute classes raise for unexpected input. Each fails only one op."""


DEFECT = "GA011"
"""The rule code of a defect of this tool; the message names what failed and what was skipped."""
NESTED = "this is nested too deeply"
NOT_CLOSED = "this region is not closed: expected '}'"


class Unsupported(ParseError):
    """An error in text that may be valid, but that xDSL cannot parse."""

    lacking: Mapping[Variant, str] = {}
    """Maps each definition of the op that rejects the text to its error."""


class Defective(Unsupported):
    """An error caused by a defect of this tool."""


class Problem(NamedTuple):
    """An error in the text: a rule's code, the position, and MLIR's message."""

    code: str
    span: Span
    message: str
    related: tuple[tuple[Span, str], ...] = ()
    other_words: tuple[tuple[int, str], ...] = ()
    """The releases whose message differs from `message`, with their messages."""

    def moved(self, place: Callable[[Span], Span]) -> Problem:
        """Return the problem with each of its spans replaced by `place(span)`."""
        related = tuple((place(span), message) for span, message in self.related)
        return self._replace(span=place(self.span), related=related)

    def in_release(self, version: int) -> str:
        """Return the message that LLVM `version` prints."""
        words = dict(self.other_words)
        return words.get(version) or words.get(neighbors(version)[0], self.message)


def not_closed(brace: int) -> Problem:
    """Return the problem for an unclosed `brace`; the parser continues as if it were closed on its line."""
    return Problem("GA001", Span(brace, brace + 1), NOT_CLOSED)
