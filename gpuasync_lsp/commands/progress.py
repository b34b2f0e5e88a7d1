"""Show the progress of a command in one line, if the output is a terminal."""

from __future__ import annotations

import sys
import time

from gpuasync_lsp.output import say_progress, say_rendered

_FIRST = 0.5
"""Seconds before the line appears: what is done by then needs none."""
_EVERY = 0.1


class Progress:
    """Counts `total` steps on standard error, if that is a terminal: "checked 120 of 1000"."""

    def __init__(self, verb: str, total: int) -> None:
        self.verb = verb
        self.total = total
        self.done = 0
        self._visible = sys.stderr.isatty()
        self._shown = False
        self._next = time.monotonic() + _FIRST

    def step(self) -> None:
        """Count one more."""
        self.done += 1
        if self._visible and (now := time.monotonic()) >= self._next:
            self._next = now + _EVERY
            say_progress(f"{self.verb} {self.done} of {self.total}")
            self._shown = True

    def end(self) -> None:
        """Take the line away, before something else is printed; it comes back with a later step."""
        if self._shown:
            say_progress("")
            say_rendered("\r", error=True, flush=True)
            self._shown = False
