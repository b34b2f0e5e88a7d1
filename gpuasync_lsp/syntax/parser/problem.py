"""What is wrong with a text, and how op classes say that they cannot read it."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from xdsl.utils.exceptions import ParseError, VerifyException

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
