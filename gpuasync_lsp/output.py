"""The one way to standard output and standard error: what is not a program text is made safe to show.

Names of files, messages and quoted source are input. A terminal takes escape sequences in them for commands,
and a CI service takes lines that begin with `::` or `##[` for such. `tests/package/test_output.py` finds any
other way to print.
"""

from __future__ import annotations

import re
import sys
from typing import TextIO

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""Control characters but for tabs and line ends, invisible and reordering ones, bytes that are no UTF-8."""
_COMMAND = re.compile(r"^([ \t]*)(?=::|##\[)", re.MULTILINE)
"""Where GitHub Actions and Azure Pipelines see a command."""


class NotPrinted(OSError):
    """The output cannot be written, as on a full disk."""


def clean(text: str) -> str:
    """Return `text`, of any number of lines, with nothing in it that a terminal or a CI service obeys."""
    if text.isascii() and text.isprintable() and not text.lstrip().startswith(("::", "##[")):
        return text  # as nearly all is
    return _COMMAND.sub(r"\1\\", _CONTROLS.sub(_escaped, text))


def one_line(text: str) -> str:
    """Return `clean` text without line ends: for a name in a line with a format, as the head of a diff."""
    return clean(text).replace("\n", "\\n").replace("\t", "\\t")


def say(text: str = "", *, error: bool = False, end: str = "\n", flush: bool = False) -> None:
    """Print a message, on standard error if `error`."""
    _write(clean(text) + end, error=error, flush=flush)


def say_rendered(
    text: str, *, error: bool = False, stream: TextIO | None = None, flush: bool = False
) -> None:
    """Print what was cleaned part by part already: with colours, or in a format that escapes by itself.

    `stream` is a file that the user has named."""
    _write(text, error=error, stream=stream, flush=flush)


def say_program(text: str) -> None:
    """Print program text as it is, on standard output."""
    _write(text)


def say_bytes(data: bytes) -> None:
    """Print the bytes of a program on standard output."""
    _write("", flush=True)
    sys.stdout.buffer.write(data)


def say_progress(text: str) -> None:
    """Show `text` in place of the last line of standard error, which is a terminal."""
    _write(f"\r{clean(text)}\x1b[K", error=True, flush=True)


def _write(text: str, *, error: bool = False, stream: TextIO | None = None, flush: bool = False) -> None:
    target: TextIO = stream or (sys.stderr if error else sys.stdout)
    try:
        target.write(text)
        if flush:
            target.flush()
    except BrokenPipeError:
        raise
    except OSError as failed:
        raise NotPrinted(failed.errno, failed.strerror) from failed


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name, as Python keeps it
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
