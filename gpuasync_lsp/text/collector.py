"""Turns Python's garbage collector off during builds.

IR, models and findings are about a hundred objects per line, and nearly all live until the build ends. In
functions above 2,000 lines, repeated collections take as long as the build itself. A build therefore turns
the collector off, and one collection follows. The garbage of a build is a tenth of the objects that it keeps,
so memory remains bounded.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_building = 0
"""The number of builds in progress."""
_was_on = True
"""Whether the collector was enabled before the first of the builds in progress."""


@contextmanager
def no_collection() -> Generator[None]:
    """Disable the collector inside the context; contexts of several threads may overlap."""
    global _building, _was_on
    with _LOCK:
        if not _building:
            _was_on = gc.isenabled()
        _building += 1
        gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            _building -= 1
            if not _building and _was_on:
                gc.enable()
