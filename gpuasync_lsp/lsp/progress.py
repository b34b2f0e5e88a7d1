"""Progress bars in the client: for requests with a token, and for builds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from gpuasync_lsp.lsp.outgoing import Outgoing
from gpuasync_lsp.text.plain_json import Json

logger = logging.getLogger(__name__)

SLOW_BUILD = 0.8
"""Seconds after which a progress bar is shown for a build."""


class Progress:
    """The progress bars that are shown, and the tasks they belong to."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._tasks: dict[str | int, asyncio.Task[object]] = {}
        """Maps each token to the task that it cancels."""
        self._opening: dict[str, asyncio.TimerHandle] = {}
        self._count = 0

    def cancel(self, token: str | int) -> None:
        """Cancel the task of a token if it is still running."""
        task = self._tasks.get(token)
        if task is not None:
            task.cancel()

    async def new_token(self) -> str:
        """Create a progress token on the client; return it."""
        self._count += 1
        token = f"gpuasync-{self._count}"
        await self._outgoing.ask("window/workDoneProgress/create", {"token": token})
        return token

    @asynccontextmanager
    async def shown(self, token: str | int | None, title: str) -> AsyncGenerator[Callable[[str], None]]:
        """Show progress under a token from the client, which can cancel the task; no-op without a token.

        Yields a function that reports the current item, from any thread.
        """
        task = asyncio.current_task()
        if token is None or task is None:
            yield lambda message: None
            return
        loop = asyncio.get_running_loop()

        def report(message: str) -> None:
            loop.call_soon_threadsafe(self._send, token, {"kind": "report", "message": message})

        self._tasks[token] = task
        self._send(token, {"kind": "begin", "title": title, "cancellable": True})
        try:
            yield report
        finally:
            del self._tasks[token]
            self._send(token, {"kind": "end"})

    def opening(self, uri: str, is_read: Callable[[], bool], end: Callable[[], Awaitable[object]]) -> None:
        """Show a bar if the first analysis of a document takes long.

        `is_read` returns whether the bar is no longer needed; `end` waits for the analysis.
        """
        loop = asyncio.get_running_loop()
        self._opening[uri] = loop.call_later(
            SLOW_BUILD, lambda: self._outgoing.spawn(self._show_opening(uri, is_read, end))
        )

    def opened(self, uri: str) -> None:
        """Cancel the pending bar of a document; a bar that is already shown stays."""
        timer = self._opening.pop(uri, None)
        if timer is not None:
            timer.cancel()

    async def _show_opening(
        self, uri: str, is_read: Callable[[], bool], end: Callable[[], Awaitable[object]]
    ) -> None:
        token = await self.new_token()
        if is_read():
            return
        name = uri.rsplit("/", 1)[-1]
        self._send(token, {"kind": "begin", "title": f"Analyzing {name}", "cancellable": False})
        try:
            await end()
        except Exception as error:  # noqa: BLE001 - logged where it happened; here only the bar ends
            logger.debug("progress of %s ends: %r", uri, error)
        finally:
            self._send(token, {"kind": "end"})

    def _send(self, token: str | int, value: Json) -> None:
        self._outgoing.notify("$/progress", {"token": token, "value": value})
