"""Python's garbage collector is off while something is built.

IR, its model and findings are a hundred objects a line, and nearly all of them stay until the build ends:
what the collector looks at in between, again and again, takes as long as the build itself in functions above
2,000 lines. So whoever builds takes it away, and it looks once at what is left. Memory is bounded by the
build: its garbage is what the build makes and drops, a tenth of what stays.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_building = 0
"""How many threads build."""
_was_on = True
"""Whether the collector was on before the first of them began."""


@contextmanager
def no_collection() -> Generator[None]:
    """Keep the collector from running inside; builds of several threads may overlap."""
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
