"""Shared words of memory for compiled code, callbacks, the progress thread and the crash handler."""

from __future__ import annotations

import ctypes


class State:
    """The current position of the program; compiled code writes it at fixed addresses."""

    def __init__(self) -> None:
        self._words = (ctypes.c_int32 * 7)(-1, -1, 0, -1, 0, 0, 0)
        base = ctypes.addressof(self._words)
        self.site_address = base
        """The source site of the host's latest call into the runtime."""

        self.synchronization_address = base + 4
        """The source site of the latest barrier or shuffle in a kernel."""

        self.watch_address = base + 8
        """Nonzero while host accesses must be recorded."""

        self.launch_address = base + 12
        """The source site of the operation being executed, or -1."""

        self.sending_address = base + 16
        """Nonzero while a thread writes a frame to the client, which may take several writes."""

        self.crashed_address = base + 20
        """Nonzero once the crash handler is about to write the last frame."""

        self.early_address = base + 24
        """Nonzero while a dependent launch runs early, that is, its threads begin before the previous
        kernel is complete."""

    def site(self) -> int:
        """Return the host's current site."""
        return int(self._words[0])

    def set_site(self, site: int) -> None:
        """Set the host's current site."""
        self._words[0] = site

    def synchronization(self) -> int:
        """Return the latest synchronization's site."""
        return int(self._words[1])

    def watch(self, on: bool) -> None:
        """Set whether device work is pending, without which host accesses are not checked."""
        self._words[2] = int(on)

    def set_launch(self, site: int) -> None:
        """Set the site of the operation being executed."""
        self._words[3] = site

    def launch(self) -> int:
        """Return the site of the operation being executed, or -1."""
        return int(self._words[3])

    def set_early(self, early: bool) -> None:
        """Set whether the threads of the next launch begin before the previous kernel ends."""
        self._words[6] = int(early)

    def begin_sending(self) -> bool:
        """Mark that a frame is being written; return False if the crash handler has begun its own."""
        self._words[4] = 1
        if not self._words[5]:
            return True
        self._words[4] = 0
        return False

    def end_sending(self) -> None:
        """Mark that the frame has been written."""
        self._words[4] = 0


STATE = State()
"""The only instance in a worker process."""
