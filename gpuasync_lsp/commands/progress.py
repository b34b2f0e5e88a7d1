"""A progress line for commands, if standard error is a terminal."""

from __future__ import annotations

import sys
import time

from gpuasync_lsp.output import print_progress, print_rendered

_FIRST = 0.5
"""The number of seconds before the progress line appears."""
_EVERY = 0.1


class Progress:
    """Prints the progress of `total` steps on standard error, if it is a terminal: "checked 120 of 1000"."""

    def __init__(self, verb: str, total: int) -> None:
        self.verb = verb
        self.total = total
        self.done = 0
        self._visible = sys.stderr.isatty()
        self._shown = False
        self._next = time.monotonic() + _FIRST

    def step(self) -> None:
        """Count one step."""
        self.done += 1
        if self._visible and (now := time.monotonic()) >= self._next:
            self._next = now + _EVERY
            print_progress(f"{self.verb} {self.done} of {self.total}")
            self._shown = True

    def end(self) -> None:
        """Erase the progress line before other output; the next step shows it again."""
        if self._shown:
            print_progress("")
            print_rendered("\r", error=True, flush=True)
            self._shown = False
