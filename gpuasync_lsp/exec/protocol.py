"""Frames between this process and a worker: four bytes of magic, four of length, then JSON in UTF-8.

The magic lets the reader skip the output of a remote shell before the first frame, and detect garbage
afterwards at once. Client and worker both import this module; it imports neither.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import IO

from gpuasync_lsp.text.plain_json import Json, is_object

PROTOCOL_VERSION = 2
MAGIC = b"\xabGA1"
FRAME_LIMIT = 256 * 1024 * 1024
NOISE_LIMIT = 64 * 1024

Message = Json
"""A message of the protocol, with a `type`."""


class ProtocolError(Exception):
    """The other process sent something that is not a frame."""


def write_frame(stream: IO[bytes], message: Mapping[str, object]) -> None:
    """Write one message and flush it. Raises OSError if the other process no longer reads."""
    body = json.dumps(message, separators=(",", ":")).encode("utf-8")
    stream.write(MAGIC + struct.pack(">I", len(body)) + body)
    stream.flush()


class FrameReader:
    """Reads messages from a stream; other bytes are allowed only before the first message."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._started = False
        self.noise = b""
        """The bytes before the first frame, for instance the banner of a remote shell."""

    def read(self) -> Message | None:
        """Return the next message; None at the end of the stream. Raises `ProtocolError` for other data."""
        head = self._head()
        if head is None:
            return None
        (length,) = struct.unpack(">I", self._exactly(4))
        if length > FRAME_LIMIT:
            raise ProtocolError(f"a frame of {length} bytes is over the limit")
        body = self._exactly(length)
        try:
            message = json.loads(body)
        except ValueError as error:
            raise ProtocolError(f"a frame is not JSON: {error}") from error
        if not is_object(message) or "type" not in message:
            raise ProtocolError("a frame has no type")
        return message

    def _head(self) -> bytes | None:
        if self._started:
            head = self._stream.read(len(MAGIC))
            if not head:
                return None
            if head != MAGIC:
                raise ProtocolError(f"not a frame: {head + self._available()!r}")
            return head
        window = b""
        while not window.endswith(MAGIC):
            byte = self._stream.read(1)
            if not byte:
                self.noise = window
                return None
            window += byte
            if len(window) > NOISE_LIMIT:
                raise ProtocolError(f"no worker answered; the command printed {window[:200]!r}...")
        self.noise = window[: -len(MAGIC)]
        self._started = True
        return MAGIC

    def _exactly(self, count: int) -> bytes:
        data = self._stream.read(count)
        if len(data) < count:
            raise ProtocolError("the stream ended inside a frame")
        return data

    def _available(self) -> bytes:
        peek = getattr(self._stream, "peek", None)
        found = peek(60) if peek is not None else b""
        return bytes(found)[:60]
