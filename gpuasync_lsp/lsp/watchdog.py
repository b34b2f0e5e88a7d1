"""Ends a server after its client is gone, even while the server is busy.

The server notices the end of its input itself, but not while C code holds the interpreter lock, and not if
the client dies and another process keeps the pipe open. So a second process watches: a fork from before any
thread was started, which shares memory with the server and only waits.

The second process waits until the client (`processId`) ends or the other end of the input is closed, gives
the server time to exit, then kills it. It exits as soon as the server does.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from typing import NoReturn

from gpuasync_lsp.processes import fork

GRACE = 3.0
"""Seconds in which a server must exit after its client is gone."""

SLOW_GRACE = 10.0
"""Seconds in which a server must exit after its input ends, while the client may still read answers."""

INTERVAL = 1.0
"""Seconds between two checks of the client, if the system does not report its end."""


def start_watchdog(source: int, client: int | None) -> None:
    """Watch the input `source` and, if given, the process with the id `client`.

    Must be called before any thread is started. Without fork, or if no process can be created, there is no
    watchdog.
    """
    theirs, ours = os.pipe()  # The system closes `ours` when this process ends.
    server = os.getpid()

    def watch() -> None:
        _close_all_but(source, theirs)
        _watch(server, source, theirs, client if client is not None and 0 < client < 1 << 31 else None)

    if not fork(watch):
        os.close(ours)
    os.close(theirs)


def _watch(server: int, source: int, connection: int, client: int | None) -> None:
    poll = select.poll()
    # Polling for no events still reports that the other end was closed.
    poll.register(source, getattr(select, "POLLRDHUP", 0))
    poll.register(connection, 0)
    handle = None if client is None else _handle_of(client)
    if handle is not None:
        poll.register(handle, select.POLLIN)
    while True:
        events = dict(poll.poll(None if client is None or handle is not None else INTERVAL * 1000))
        if connection in events:
            return  # The server has ended.
        if source in events:
            _end(server, connection, SLOW_GRACE)
        if client is not None and (handle in events or not _is_alive(client)):
            _end(server, connection, GRACE)


def _close_all_but(*kept: int) -> None:
    # Otherwise the watchdog's output would keep the client's pipe, and the caller's terminal, open.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        if descriptor not in kept:
            os.dup2(nothing, descriptor)
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, max(first, descriptor))
        first = max(first, descriptor + 1)
    os.closerange(first, 4096)


def _handle_of(process: int) -> int | None:
    """Return a descriptor that becomes readable when `process` ends; None on systems other than Linux."""
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        return opener(process)
    except OSError:
        return None


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # The process belongs to another user.
    return True


def _end(server: int, connection: int, grace: float) -> NoReturn:
    """Wait for the server to exit, and kill it if that takes too long."""
    for name, seconds in (("", grace), ("SIGTERM", GRACE), ("SIGKILL", 0.0)):
        if name:
            with suppress(OSError):
                os.kill(server, getattr(signal, name))
        poll = select.poll()
        poll.register(connection, 0)
        if poll.poll(seconds * 1000):
            break
    os._exit(0)
