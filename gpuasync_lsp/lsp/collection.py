"""Controls when Python's garbage collector, for which all threads wait, examines IR.

The IR of a document consists of up to a million long-lived objects. The objects of a document's first build
and of builds of large functions are therefore frozen (`gc.freeze`): no collection examines them until enough
of them have been dropped, and that collection waits for a pause in typing. The objects from edits of small
functions are collected often, in short pauses. During a build nothing is collected (`text/collector.py`).
"""

from __future__ import annotations

import gc
import sys

THRESHOLDS = (5_000, 1, 4)
"""The thresholds for `gc.set_threshold`.

Freeing IR that edits have replaced takes a microsecond per object; with thresholds ten times as high, every
hundredth edit caused a pause of 0.1 s."""

MUCH = 1_000_000
"""Length of dropped text, in characters, above which the text's IR is freed without waiting for a pause.

IR of this size occupies about 70 MB, and a collection that finds it takes a few tenths of a second."""

IDLE = 1.0
"""Seconds without an edit after which the IR of shorter dropped text is freed."""

LITTLE = 50_000
"""Length of dropped text, in characters, below which no collection is run for that text."""

LONG = 20_000
"""Number of survivors of a full collection above which they are frozen; examining that many takes 10 ms."""

MOST_LEFT = 500_000
"""Number of objects frozen after collections (about 50 MB) above which those that were dropped are freed."""


class Collection:
    """Freezes long-lived objects, and frees them after they have been dropped."""

    def __init__(self) -> None:
        self._given_up = 0
        self._left = 0
        """The number of objects that survived collections and were frozen."""
        gc.set_threshold(*THRESHOLDS)
        # Only the newest instance stays registered, because it has set the thresholds.
        others = [
            each for each in gc.callbacks if not isinstance(getattr(each, "__self__", None), Collection)
        ]
        gc.callbacks[:] = [*others, self._collected]

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        """Freeze the survivors of a full collection if there are more than `LONG`."""
        if phase == "stop" and info["generation"] == 2:
            left = len(gc.get_objects(generation=2))
            if left > LONG:
                self._left += left
                gc.freeze()

    def delay(self, left: int) -> float | None:
        """Return the delay in seconds until dropped IR is freed; None if a collection is not worthwhile.

        `left` is the total length of all open documents, whose IR a collection examines, too."""
        if self._left > MOST_LEFT or self._given_up > MUCH:
            return 0.0
        return IDLE if self._given_up > max(LITTLE, left // 2) else None

    def keep(self) -> None:
        """Collect garbage, then freeze the remaining objects, since frozen garbage is never freed."""
        counted = self._left
        gc.collect()
        gc.freeze()
        self._left = counted

    def freeze(self) -> None:
        """Freeze all objects, including garbage.

        Called after steps of a first build, in which one object in 10,000 is garbage, or one in 25 in a file
        full of errors. Collecting this garbage after a function of thousands of lines would block all threads
        for 0.1 s.
        """
        gc.freeze()

    def give_up(self, size: int) -> None:
        """Record that the frozen IR of `size` characters was dropped."""
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

    Without this call, the process keeps a third of the memory of a closed document of 10,000 lines.
    """
    import ctypes  # Imported lazily, after `initialize` is answered.

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(ctypes.c_size_t(0))
