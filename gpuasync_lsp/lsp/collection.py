"""When Python's collector looks at IR: everybody waits for it.

The IR of a document is up to a million objects that stay. What the first build of a document and builds of
large functions have made is therefore frozen (`gc.freeze`): no collection looks at it again, until enough of
it was dropped to be worth a collection; that waits for a pause in typing. What edits
of small functions make is collected often, each time for a short while. While anything is built, nothing is
collected (`text/collector.py`).
"""

from __future__ import annotations

import gc
import sys

THRESHOLDS = (5_000, 1, 4)
"""For `gc.set_threshold`. To free the IR that edits have replaced takes a microsecond an object: with ten
times as many objects there was a pause of 0.1 s at every hundredth edit."""

MUCH = 1_000_000
"""If frozen IR of so many characters of text was dropped, it is freed regardless of the rest. That is some
70 MB; to look for it takes a few tenths of a second."""

IDLE = 1.0
"""Seconds without an edit after which less is freed."""

LITTLE = 50_000
"""Characters that are not worth a look, however little is left."""

LONG = 20_000
"""Objects that a collection has left from which on they are frozen: to look at them takes some 10 ms."""

MOST_LEFT = 500_000
"""Objects that collections may have left and frozen before what was given up of them is freed: 50 MB."""


class Collection:
    """Freezes what stays, and frees what of it was given up."""

    def __init__(self) -> None:
        self._given_up = 0
        self._left = 0
        """Objects that collections have left and that were frozen then."""
        gc.set_threshold(*THRESHOLDS)
        # The newest one decides, as it has set the thresholds.
        others = [
            each for each in gc.callbacks if not isinstance(getattr(each, "__self__", None), Collection)
        ]
        gc.callbacks[:] = [*others, self._collected]

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        """Freeze what a full collection has left, if that is much."""
        if phase == "stop" and info["generation"] == 2:
            left = len(gc.get_objects(generation=2))
            if left > LONG:
                self._left += left
                gc.freeze()

    def delay(self, left: int) -> float | None:
        """Return in how many seconds what was given up is to be freed, if documents of `left` characters are
        still open; None if it is not worth a look: that costs at most a few times what it frees."""
        if self._left > MOST_LEFT or self._given_up > MUCH:
            return 0.0
        return IDLE if self._given_up > max(LITTLE, left // 2) else None

    def keep(self) -> None:
        """Freeze all reachable objects: unreachable ones would never be freed if frozen."""
        counted = self._left
        gc.collect()
        gc.freeze()
        self._left = counted

    def freeze(self) -> None:
        """Freeze all objects, unreachable ones as well.

        For what a step of a first build has made: of that, one object in ten thousand is garbage, and in a
        file that is full of errors one in twenty-five. To look for these after a function of thousands of
        lines would keep all threads waiting for a tenth of a second.
        """
        gc.freeze()

    def give_up(self, size: int) -> None:
        """Count a text of `size` characters whose frozen IR is no longer needed."""
        self._given_up += size

    def collect(self) -> None:
        """Free what was given up, and freeze the rest again."""
        self._given_up = 0
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        # Python puts off a full collection until a quarter of what the last one left is new.
        gc.collect()
        self._left = 0
        _trim()


def _trim() -> None:
    """Give the memory that is free back to the system, where the C library has a call for it (glibc, Linux).

    Without it, a third of what a closed document of 10,000 lines took stays with the process, unused.
    """
    import ctypes  # not before the server has answered `initialize`

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(ctypes.c_size_t(0))
