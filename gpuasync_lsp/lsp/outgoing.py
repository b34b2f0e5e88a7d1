"""Notifications and requests that the server sends to the client on its own initiative."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from gpuasync_lsp.lsp.protocol import ClientError, JsonProtocol

logger = logging.getLogger(__name__)


class Outgoing:
    """Sends messages, and keeps tasks that wait for responses alive."""

    def __init__(self, protocol: JsonProtocol) -> None:
        self._protocol = protocol
        self._tasks: set[asyncio.Future[object]] = set()

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._protocol.notify(method, params)

    def notify_text(self, method: str, params: str) -> None:
        """Send a notification whose parameters are already JSON."""
        self._protocol.notify_text(method, params)

    async def ask(self, method: str, params: object) -> Any:
        """Send a request to the client; return its response, or None after logging an error."""
        try:
            return await self._protocol.ask(method, params)
        except ClientError as error:
            logger.warning("the client rejected %s: %s", method, error.message)
            return None

    def refresh(self, method: str, *, wanted: bool = True, params: object = None) -> None:
        """Ask the client to refresh a feature, if it supports refreshing."""
        if wanted:
            self.spawn(self.ask(method, params))

    def spawn(self, work: Coroutine[object, object, object]) -> None:
        """Run a coroutine as a background task, and keep it alive until it ends."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
