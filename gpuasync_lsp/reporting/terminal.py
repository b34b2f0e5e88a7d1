"""Colors, and safe text of known width, for terminals."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from typing import Literal, TextIO

Style = Literal["error", "warning", "information", "hint", "bold", "dim", "added", "removed"]
Paint = Callable[[str, Style], str]
"""A function that applies a style to a string."""

_CODES: dict[Style, str] = {
    "error": "1;31",
    "warning": "1;33",
    "information": "1;34",
    "hint": "1;36",
    "bold": "1",
    "dim": "2",
    "added": "32",
    "removed": "31",
}
_TAB = "    "


def wants_color(stream: TextIO) -> bool:
    """Return whether to color output to `stream`: on a terminal, unless NO_COLOR (no-color.org) is set.

    FORCE_COLOR also colors pipes, for CI logs that show colors.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def colored(text: str, style: Style) -> str:
    """Return `text` with the escape sequences of `style`."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else ""


def plain(text: str, style: Style) -> str:
    """Return `text` unchanged, as the paint function for output without colors."""
    return text


def paint_for(stream: TextIO) -> Paint:
    """Return the paint function for `stream`: colored or plain."""
    return colored if wants_color(stream) else plain


def printable(text: str) -> str:
    """Return `text` with tabs expanded and control characters replaced.

    Escape sequences in a source file must not reach the terminal.
    """
    if text.isascii() and text.isprintable():
        return text  # The usual case.
    return "".join(
        _TAB if c == "\t" else "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in _UNPRINTABLE else c
        for c in text
    )


def width(text: str) -> int:
    """Return the width of printable `text` in terminal cells."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
