"""When Python's garbage collector runs on IR: all threads wait for it.

The IR of a document is up to a million long-lived objects. The objects of a document's first build and of
builds of large functions are therefore frozen (`gc.freeze`): no collection examines them until enough of them
were dropped, and the collection waits for a pause in typing. The objects of edits of small functions are
collected often, in short pauses. During a build nothing is collected (`text/collector.py`).
"""

from __future__ import annotations

import gc
import sys

THRESHOLDS = (5_000, 1, 4)
"""For `gc.set_threshold`. Freeing IR that edits have replaced takes a microsecond per object: with thresholds
ten times as high there was a pause of 0.1 s at every hundredth edit."""

MUCH = 1_000_000
"""Characters of text whose frozen IR, once dropped, is freed unconditionally: about 70 MB, which takes a few
tenths of a second to find."""

IDLE = 1.0
"""Seconds without an edit after which smaller amounts are freed."""

LITTLE = 50_000
"""Characters below which a collection is never worthwhile."""

LONG = 20_000
"""Surviving objects above which a collection freezes them: examining that many takes about 10 ms."""

MOST_LEFT = 500_000
"""Objects frozen after collections above which dropped ones among them are freed: 50 MB."""


class Collection:
    """Freezes long-lived objects, and frees them after they were dropped."""

    def __init__(self) -> None:
        self._given_up = 0
        self._left = 0
        """The number of objects that survived collections and were frozen."""
        gc.set_threshold(*THRESHOLDS)
        # The newest instance decides: it has set the thresholds.
        others = [
            each for each in gc.callbacks if not isinstance(getattr(each, "__self__", None), Collection)
        ]
        gc.callbacks[:] = [*others, self._collected]

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        """Freeze the survivors of a full collection if there are many."""
        if phase == "stop" and info["generation"] == 2:
            left = len(gc.get_objects(generation=2))
            if left > LONG:
                self._left += left
                gc.freeze()

    def delay(self, left: int) -> float | None:
        """Return the delay in seconds until dropped IR is freed, if documents of `left` characters are still
        open.

        None if a collection is not worthwhile: it costs at most a few times what it frees."""
        if self._left > MOST_LEFT or self._given_up > MUCH:
            return 0.0
        return IDLE if self._given_up > max(LITTLE, left // 2) else None

    def keep(self) -> None:
        """Collect, then freeze the reachable objects: frozen garbage is never freed."""
        counted = self._left
        gc.collect()
        gc.freeze()
        self._left = counted

    def freeze(self) -> None:
        """Freeze all objects, including garbage.

        For steps of a first build: one object in ten thousand of theirs is garbage, and one in twenty-five
        in a file full of errors. Finding these after a function of thousands of lines would block all
        threads for 0.1 s.
        """
        gc.freeze()

    def give_up(self, size: int) -> None:
        """Count a text of `size` characters whose frozen IR was dropped."""
        self._given_up += size

    def collect(self) -> None:
        """Free dropped objects, and freeze the rest again."""
        self._given_up = 0
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        # Python defers a full collection until a quarter of the survivors of the last one are new.
        gc.collect()
        self._left = 0
        _trim()


def _trim() -> None:
    """Return free memory to the system if the C library supports it (glibc's malloc_trim).

    Without it the process keeps a third of the memory of a closed document of 10,000 lines, unused.
    """
    import ctypes  # not before the server has answered `initialize`

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(ctypes.c_size_t(0))
