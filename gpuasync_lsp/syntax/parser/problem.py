"""Errors of a text, and the exceptions of op classes that cannot parse it."""

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
"""Errors that op and attribute classes raise for unexpected text; only this op is lost."""


DEFECT = "GA011"
"""The code of a defect of this tool: the message has what failed, and what was skipped."""
NESTED = "this is nested too deeply"
NOT_CLOSED = "this region is not closed: expected '}'"


class Unsupported(ParseError):
    """Text that may be valid and that xDSL does not parse."""

    lacking: Mapping[Variant, str] = {}
    """The errors of some releases."""


class Defective(Unsupported):
    """Text that could not be parsed because of a defect of this tool."""


class Problem(NamedTuple):
    """An error of the text: a rule's code, the place, and MLIR's message."""

    code: str
    span: Span
    message: str
    related: tuple[tuple[Span, str], ...] = ()
    other_words: tuple[tuple[int, str], ...] = ()
    """The releases whose message differs from `message`, with their messages."""

    def moved(self, place: Callable[[Span], Span]) -> Problem:
        """Return the problem with all its places mapped by `place`."""
        related = tuple((place(span), message) for span, message in self.related)
        return self._replace(span=place(self.span), related=related)

    def in_release(self, version: int) -> str:
        """Return the message of LLVM `version`."""
        words = dict(self.other_words)
        return words.get(version) or words.get(neighbors(version)[0], self.message)


def not_closed(brace: int) -> Problem:
    """Return the problem for an unclosed `brace` that is parsed as if closed on its line."""
    return Problem("GA001", Span(brace, brace + 1), NOT_CLOSED)
