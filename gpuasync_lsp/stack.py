"""The recursion limit, and the stack size that it requires in every thread that parses programs.

Python limits recursion by the number of calls (`sys.setrecursionlimit`), independently of the stack. Parsing,
hashing and printing nested regions and types recurse, and a stack overflow ends the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")

CALLS = 20_000
"""The recursion limit. A nested region takes about ten calls; compilers print a few hundred levels."""

BYTES = 16 * 2**20
"""The stack size of each thread: twice what `CALLS` calls need.

The memory is only reserved. The default is at most 8 MiB; threads have 512 KiB on macOS, and 2 MiB on Linux
if the shell sets no limit."""

_ENOUGH = 8 * 2**20 - 2**16


def set_stack_size() -> None:
    """Set the recursion limit to `CALLS`, and give threads started from now on a matching stack."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), CALLS))
    if threading.stack_size() < BYTES:
        threading.stack_size(BYTES)


def with_stack(work: Callable[[], R]) -> R:
    """Return the result of `work`, called with a stack for `CALLS` calls.

    It runs on this thread, or on a new one if the stack of this thread is too small. With a new thread,
    Ctrl-C ends only this call, and the thread ends with the process."""
    set_stack_size()
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
    """Return whether the stack of the main thread can grow to 8 MiB, the default of Linux and macOS."""
    if sys.platform == "win32":
        return False  # The stack has 1 or 2 MiB, depending on how python.exe was linked.
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return limit == resource.RLIM_INFINITY or limit >= _ENOUGH
