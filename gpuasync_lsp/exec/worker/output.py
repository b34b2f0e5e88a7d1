"""Captures the program's output through a pipe in place of file descriptor 1, which a thread reads."""

from __future__ import annotations

import codecs
import ctypes
import os
import queue
import sys
import threading
import time
from collections.abc import Callable

from gpuasync_lsp.text.plain_json import Json

_MARK = b"\0gpuasync: end of a run\0"
"""Marks the end of a run's output in the pipe; no program is expected to print it."""


class Output:
    """Forwards the program's output up to a limit, and stores it until `take` returns it."""

    def __init__(self, send: Callable[[Json], None], limit: int) -> None:
        """Redirect descriptor 1; `send` sends a message of the protocol, `limit` is in bytes."""
        self._send = send
        self._left = limit
        self._muted = False
        self._printed = bytearray()
        self._taken: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._limit = limit
        self._read, writer = os.pipe()
        sys.stdout.flush()
        os.dup2(writer, 1)
        os.close(writer)
        libc = ctypes.CDLL(None)
        stream = ctypes.c_void_p.in_dll(libc, "stdout" if sys.platform != "darwin" else "__stdoutp")
        libc.setvbuf(stream, None, 2, 0)  # 2 is _IONBF: keeps C's output and ours in order.
        self._thread = threading.Thread(target=self._pump, daemon=True)
        self._thread.start()

    def take(self) -> str:
        """Return the output since the last call, up to the limit."""
        os.write(1, _MARK)
        return self._taken.get()

    def mute(self) -> None:
        """Stop forwarding output; `take` still returns it."""
        self._muted = True

    def finish(self) -> None:
        """Forward all remaining output; nothing can be printed afterwards."""
        os.dup2(2, 1)
        self._thread.join(5)

    def drain(self) -> None:
        """Wait briefly until the thread has forwarded the pipe's content, before the process is ended."""
        os.set_blocking(self._read, False)
        time.sleep(0.02)

    def _pump(self) -> None:
        held = b""
        while True:
            try:
                data = os.read(self._read, 65536)
            except BlockingIOError:
                return
            if not data:
                return
            *runs, held = (held + data).split(_MARK)
            for part in runs:
                self._forward(part)
                self._taken.put(self._printed.decode("utf-8", "replace"))
                self._printed.clear()
            cut = _begun_mark(held)
            self._forward(held[: len(held) - cut])
            held = held[len(held) - cut :]

    def _forward(self, data: bytes) -> None:
        self._printed += data[: max(self._limit - len(self._printed), 0)]
        if self._muted or self._left <= 0:
            return
        taken, self._left = data[: self._left], self._left - len(data)
        text = self._decoder.decode(taken)
        if text:
            self._send({"type": "output", "text": text})
        if self._left <= 0:
            self._send({"type": "truncated"})


def _begun_mark(data: bytes) -> int:
    """Return the number of bytes at the end of `data` that may be the beginning of a mark."""
    return next((n for n in range(min(len(_MARK) - 1, len(data)), 0, -1) if data.endswith(_MARK[:n])), 0)
