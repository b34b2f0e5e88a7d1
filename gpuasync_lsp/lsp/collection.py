"""When Python's collector looks at IR: everybody waits for it.

The IR of a document is up to a million objects that stay. What the first build of a document and each step
of a large build have made is therefore frozen (`gc.freeze`): no collection looks at it again, until much of
it was given up. What edits make is collected often, so that each time is short.
"""

from __future__ import annotations

import gc

THRESHOLDS = (5_000, 1, 4)
"""For `gc.set_threshold`. To free the IR that edits have replaced takes a microsecond an object: with ten
times as many objects there was a pause of 0.1 s at every hundredth edit."""

MUCH = 1_000_000
"""Characters of text whose frozen IR was given up, from which on it is freed. That is some 70 MB; to look for
it takes a few tenths of a second."""


class Collection:
    """Freezes what stays, and frees what of it was given up."""

    def __init__(self) -> None:
        self._given_up = 0
        gc.set_threshold(*THRESHOLDS)

    @property
    def is_due(self) -> bool:
        """Whether enough was given up."""
        return self._given_up > MUCH

    def keep(self) -> None:
        """Freeze all that there is now."""
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
