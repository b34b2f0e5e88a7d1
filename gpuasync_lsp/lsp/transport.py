"""Transfers bytes from and to one client over a pair of file descriptors: standard streams, or a socket.

A client may read slowly, or not at all while it writes. So sending never blocks the event loop's thread;
unsent data is buffered, and above `MOST_UNREAD` bytes no more input is read from the client.
"""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol

from gpuasync_lsp.lsp.frames import Frames, Malformed

MOST_UNREAD = 32 << 20
"""Unsent bytes above which reading from the client pauses."""

CHUNK = 1 << 16

_AT_ONCE = 4096
"""Bytes that a ready pipe accepts without blocking (PIPE_BUF)."""

FLUSH = 5.0
"""Seconds after the session in which the client can read the remaining output."""


class Sender(Protocol):
    """Accepts messages for a client."""

    def send(self, body: str) -> None:
        """Send a message."""
        ...


class Source:
    """The messages of a client, read on demand."""

    def __init__(self, descriptor: int, already_read: bytes = b"") -> None:
        """Read from `descriptor`; `already_read` are the bytes already read from it."""
        self._descriptor = descriptor
        self._frames = Frames()
        self._frames.feed(already_read)

    def next(self) -> bytes | Malformed | None:
        """Wait for the next message and return its body; None at the end of the stream."""
        while (frame := self._frames.next()) is None:
            if not self.read():
                return None
        return frame

    def ready(self) -> bytes | Malformed | None:
        """Return the next message if it has been read completely, else None."""
        return self._frames.next()

    def read(self) -> bool:
        """Wait for more bytes; False at the end of the stream."""
        try:
            data = os.read(self._descriptor, CHUNK)
        except OSError:
            # The peer has closed the socket.
            return False
        self._frames.feed(data)
        return bool(data)


class Sink:
    """Sends to a client without blocking."""

    def __init__(self, descriptor: int) -> None:
        self.on_loss: Callable[[], None] = lambda: None
        """Called once, on any thread, when writing to the client fails."""
        self._descriptor = descriptor
        self._is_lost = False
        self._waiting: deque[bytes] = deque()
        self._unread = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @property
    def is_lost(self) -> bool:
        """Whether writing to the client has failed."""
        return self._is_lost

    @property
    def is_full(self) -> bool:
        """Whether input must wait until the client has read more of the output."""
        return self._unread > MOST_UNREAD

    def send(self, body: str) -> None:
        """Send a message, after all earlier ones."""
        encoded = body.encode()
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(encoded), encoded))

    def write(self, data: bytes) -> None:
        """Send `data`, after all earlier data."""
        with self._changed:
            if self._is_lost:
                return
            if not self._waiting:
                try:
                    data = self._write_at_once(data)
                except OSError:
                    self._lose()
                    return
            if data:
                self._waiting.append(data)
                self._unread += len(data)
                self._changed.notify_all()
                if self._thread is None:
                    self._thread = threading.Thread(target=self._write_waiting, name="output", daemon=True)
                    self._thread.start()

    def flush(self, seconds: float = FLUSH) -> None:
        """Wait until all data is sent, the client is gone, or `FLUSH` seconds have passed."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting or self._is_lost, seconds)

    def _write_at_once(self, data: bytes) -> bytes:
        """Write as much as possible without blocking, and return the rest."""
        if not hasattr(select, "poll"):
            return data  # Windows: leave the write to the thread.
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        while data and poll.poll(0):
            data = data[os.write(self._descriptor, data[:_AT_ONCE]) :]
        return data

    def _write_waiting(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting))
                data = self._waiting[0]
            written = 0
            try:
                view = memoryview(data)
                while written < len(data):
                    written += os.write(self._descriptor, view[written : written + CHUNK])
            except OSError:
                with self._changed:
                    self._lose()
                return
            with self._changed:
                self._waiting.popleft()
                self._unread -= len(data)
                self._changed.notify_all()

    def _lose(self) -> None:
        self._is_lost = True
        self._waiting.clear()
        self._unread = 0
        self._changed.notify_all()
        self.on_loss()
