"""Colours, and text that is safe and of known width on a terminal."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from typing import Literal, TextIO

Style = Literal["error", "warning", "information", "hint", "bold", "dim", "added", "removed"]
Paint = Callable[[str, Style], str]
"""Takes a text and a style; returns the text as that style is shown."""

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


def wants_colour(stream: TextIO) -> bool:
    """Return whether to colour what goes to `stream`: on a terminal, unless NO_COLOR (no-color.org) is set.

    FORCE_COLOR colours a pipe as well, for CI logs that show colours.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def coloured(text: str, style: Style) -> str:
    """Return `text` with the escape sequences of `style`."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else ""


def plain(text: str, style: Style) -> str:
    """Return `text` as it is."""
    return text


def paint_for(stream: TextIO) -> Paint:
    """Return how to colour what goes to `stream`."""
    return coloured if wants_colour(stream) else plain


def printable(text: str) -> str:
    """Return `text` with tabs as spaces and control characters replaced.

    A source file is input: its escape sequences must not reach the reader's terminal.
    """
    if text.isascii() and text.isprintable():
        return text  # as nearly all is
    return "".join(
        _TAB if c == "\t" else "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in _UNPRINTABLE else c
        for c in text
    )


def width(text: str) -> int:
    """Return the number of terminal cells that printable `text` takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
