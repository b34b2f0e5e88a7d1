"""Splits a stream of bytes into messages, using the headers of LSP's base protocol. Does no I/O.

The parser resynchronizes after malformed input. Line ends inside JSON strings are escaped, so a line
`Content-Length: 5` is never part of a message: it starts the next message, regardless of an earlier header.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_BYTES = 128 << 20
"""Maximum size of a message. Editors send files of at most about 50 MB."""

MOST_HEADER = 4096
"""The maximum length of a header line, and of the whole header of a TCP client's first message."""

_LENGTH = re.compile(rb"content-length:[ \t]*([0-9]+)[ \t]*\r?\n", re.IGNORECASE)
_CONTENT_LENGTH = re.compile(rb"content-length:", re.IGNORECASE)
_HEADER = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:")

_TAIL = 64
"""Number of bytes to keep when a line is discarded, since the next header may begin there."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that are not a message, with the reason."""

    message: str


class Frames:
    """Splits bytes into message bodies."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        """The number of bytes of the buffer already searched."""
        self._length: int | None = None
        """The content length of the header being read."""
        self._in_body = False
        self._lost = False
        """Whether the current run of malformed bytes was already reported."""

    def feed(self, data: bytes) -> None:
        """Append bytes to the buffer."""
        self._buffer += data

    def next(self) -> bytes | Malformed | None:
        """Return the body of the next message; None if more bytes are needed."""
        while True:
            if self._in_body:
                return self._body()
            end = self._buffer.find(b"\n", self._searched) + 1
            if end == 0:
                return self._long_line()
            line = bytes(self._buffer[:end])
            del self._buffer[:end]
            self._searched = 0
            problem = self._header(line) if line.strip() else self._end_of_headers()
            if problem is not None and not self._lost:
                self._lost = True
                return Malformed(problem)

    def _header(self, line: bytes) -> str | None:
        lengths = list(_LENGTH.finditer(line))
        if not lengths:
            if _HEADER.match(line) and not _CONTENT_LENGTH.match(line):
                return None
            self._length = None
            return "not a message header"
        found = lengths[-1]
        digits = found[1]
        if len(digits) > 15 or int(digits) > MOST_BYTES:
            self._length = None
            return f"a message is limited to {MOST_BYTES} bytes"
        self._length = int(digits)
        return None if found.start() == 0 else "a header begins in the middle of a line"

    def _end_of_headers(self) -> str | None:
        if self._length is None:
            return None
        self._in_body = True
        self._lost = False
        return None

    def _body(self) -> bytes | Malformed | None:
        assert self._length is not None
        begin = max(self._searched - _TAIL, 0)
        header = _LENGTH.search(self._buffer, begin, self._length)
        if header is not None:
            del self._buffer[: header.start()]
            self._restart()
            return Malformed("a message ends before the length in its header")
        if len(self._buffer) < self._length:
            self._searched = len(self._buffer)
            return None
        body = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        self._restart()
        return body

    def _restart(self) -> None:
        self._in_body = False
        self._length = None
        self._searched = 0

    def _long_line(self) -> Malformed | None:
        self._searched = len(self._buffer)
        if self._searched <= MOST_HEADER:
            return None
        del self._buffer[:-_TAIL]
        self._searched = 0
        self._length = None
        if self._lost:
            return None
        self._lost = True
        return Malformed("no header of a message")
