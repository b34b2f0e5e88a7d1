"""The only module that writes to standard output and error; it escapes everything except program text.

File names, messages and quoted source are untrusted: terminals interpret escape sequences in them, and
CI services interpret lines that begin with `::` or `##[`. `tests/package/test_output.py` rejects any
other way to print.
"""

from __future__ import annotations

import re
import sys
from typing import TextIO

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""Characters to escape: control (except tabs and line ends), invisible, bidirectional, and invalid UTF-8."""
_COMMAND = re.compile(r"^([ \t]*)(?=::|##\[)", re.MULTILINE)
"""Matches the start of a line that GitHub Actions and Azure Pipelines interpret as a command."""


class NotPrinted(OSError):
    """Raised if the output cannot be written, for example on a full disk."""


def clean(text: str) -> str:
    """Return `text` with everything escaped that a terminal or a CI service interprets, except line ends."""
    if text.isascii() and text.isprintable() and not text.lstrip().startswith(("::", "##[")):
        return text  # The usual case.
    return _COMMAND.sub(r"\1\\", _CONTROLS.sub(_escaped, text))


def one_line(text: str) -> str:
    """Return `text` escaped and without line ends, for a line with a fixed format, such as a diff header."""
    return clean(text).replace("\n", "\\n").replace("\t", "\\t")


def print_text(text: str = "", *, error: bool = False, end: str = "\n", flush: bool = False) -> None:
    """Print an escaped message on standard output, or on standard error if `error`."""
    _write(clean(text) + end, error=error, flush=flush)


def print_rendered(
    text: str, *, error: bool = False, stream: TextIO | None = None, flush: bool = False
) -> None:
    """Print text that is already escaped, such as colored text, or a format that escapes its parts.

    If given, `stream` is a file that the user has named."""
    _write(text, error=error, stream=stream, flush=flush)


def print_program(text: str) -> None:
    """Print program text unchanged on standard output."""
    _write(text)


def print_bytes(data: bytes) -> None:
    """Print the bytes of a program on standard output."""
    _write("", flush=True)
    sys.stdout.buffer.write(data)


def print_progress(text: str) -> None:
    """Replace the last line of standard error, which is a terminal, with `text`."""
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
    if 0xDC80 <= code <= 0xDCFF:  # A byte of a file name that Python could not decode.
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
