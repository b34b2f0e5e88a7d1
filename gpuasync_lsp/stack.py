"""How deep calls may nest: as deep as the stack of every thread that reads programs has room for.

Python ends recursion at a number of calls (`sys.setrecursionlimit`) and does not know the stack. Parsing
nested regions and types, hashing and printing them recurse; a stack that ends first ends the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")

CALLS = 20_000
"""The recursion limit. A nested region takes about ten calls; compilers print nests of a few hundred."""

BYTES = 16 * 2**20
"""The stack of each thread: twice of what `CALLS` take. It is reserved, not used. The default is 8 MiB at
most; threads on macOS have 512 KiB, on Linux 2 MiB where the shell's limit is off."""

_ENOUGH = 8 * 2**20 - 2**16


def make_room() -> None:
    """Give threads that are started from now on a stack for `CALLS`, and allow these."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), CALLS))
    if threading.stack_size() < BYTES:
        threading.stack_size(BYTES)


def with_room(work: Callable[[], R]) -> R:
    """Return what `work` returns, called on a stack for `CALLS`: on this one or, if it is too small, on
    that of a thread. Ctrl-C ends this call then, and leaves the thread to end with the process."""
    make_room()
    if threading.current_thread() is not threading.main_thread() or _main_has_room():
        return work()
    result: list[R] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again by the caller below
            errors.append(error)

    thread = threading.Thread(target=run, name="main", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return result[0]


def _main_has_room() -> bool:
    """Return whether the main thread's stack may grow to 8 MiB, the default of Linux and macOS."""
    if sys.platform == "win32":
        return False  # 1 MiB or 2, as python.exe was linked
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return limit == resource.RLIM_INFINITY or limit >= _ENOUGH
