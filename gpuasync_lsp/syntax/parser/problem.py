"""What is wrong with a text, and how op classes say that they cannot read it."""

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
"""What op and attribute classes raise when the text is not what they expect: it costs this op only."""


DEFECT = "GA011"
"""The code of a defect of this tool: what failed, and what was skipped."""
NESTED = "this is nested too deeply"
NOT_CLOSED = "this region is not closed: expected '}'"


class Unsupported(ParseError):
    """Text that may be valid and that xDSL does not parse."""

    lacking: Mapping[Variant, str] = {}
    """The wording of some releases."""


class Defective(Unsupported):
    """Text that a defect of this tool kept from being read."""


class Problem(NamedTuple):
    """An error of the text: a rule's code, where, and what is wrong in MLIR's words."""

    code: str
    span: Span
    message: str
    related: tuple[tuple[Span, str], ...] = ()
    other_words: tuple[tuple[int, str], ...] = ()
    """Releases that have other words than `message`, with these."""

    def moved(self, place: Callable[[Span], Span]) -> Problem:
        """Return the problem with all its places as `place` moves them."""
        related = tuple((place(span), message) for span, message in self.related)
        return self._replace(span=place(self.span), related=related)

    def in_release(self, version: int) -> str:
        """Return the message of LLVM `version`."""
        words = dict(self.other_words)
        return words.get(version) or words.get(neighbors(version)[0], self.message)


def not_closed(brace: int) -> Problem:
    """Return what is wrong with a `brace` that is read as if its line closed it."""
    return Problem("GA001", Span(brace, brace + 1), NOT_CLOSED)
