"""Log records sent to the client.

`window/logMessage`, `window/showMessage` for records that the user must see, and `$/logTrace` if the client
enables tracing.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Literal

from gpuasync_lsp.lsp.protocol import JsonProtocol

Trace = Literal["off", "messages", "verbose"]
SHOWN = {"is_shown": True}
"""The `extra` of a log record that the client shows to the user."""


class ClientLog(logging.Handler):
    """Sends the records of this package's loggers and of pygls to the client, from any thread."""

    trace: Trace = "off"

    def __init__(self, protocol: JsonProtocol) -> None:
        super().__init__(logging.INFO)
        self._protocol = protocol
        self._loop: asyncio.AbstractEventLoop | None = None

    def attach(self) -> None:
        """Start sending; call on the event loop once the client is initialized."""
        self._loop = asyncio.get_running_loop()
        for name in ("gpuasync_lsp", "pygls"):
            logging.getLogger(name).addHandler(self)
        logging.getLogger("gpuasync_lsp").setLevel(logging.INFO)
        # Our handler already logs failures, with method and document; pygls would log them again.
        logging.getLogger("pygls.protocol").setLevel(logging.CRITICAL)

    def set_trace(self, value: str) -> None:
        """Set the value of `$/setTrace`; an unknown value means off."""
        self.trace = value if value in ("messages", "verbose") else "off"  # pyright: ignore[reportAttributeAccessIssue]

    def message(self, text: str, verbose: str | None = None) -> None:
        """Send a trace message, if the client wants one."""
        if self.trace == "off":
            return
        params = {"message": text}
        if self.trace == "verbose" and verbose is not None:
            params["verbose"] = verbose
        self._protocol.notify("$/logTrace", params)

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record, unless the loop is closed because the client is gone."""
        if self._loop is None or self._loop.is_closed():
            return
        level = 1 if record.levelno >= logging.ERROR else 2 if record.levelno >= logging.WARNING else 3
        params = {"type": level, "message": self.format(record)}
        method = "window/showMessage" if getattr(record, "is_shown", False) else "window/logMessage"
        self._loop.call_soon_threadsafe(self._protocol.notify, method, params)
