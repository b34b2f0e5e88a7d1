"""A few words of memory that compiled code, callbacks, the progress thread and the crash handler share."""

from __future__ import annotations

import ctypes


class State:
    """Where the program is: written by compiled code at fixed addresses."""

    def __init__(self) -> None:
        self._words = (ctypes.c_int32 * 4)(-1, -1, 0, -1)
        base = ctypes.addressof(self._words)
        self.site_address = base
        """The source site of the host's latest call into the runtime."""

        self.meeting_address = base + 4
        """The source site of the latest barrier or shuffle in a kernel."""

        self.watch_address = base + 8
        """Not 0 while host accesses must be noted."""

        self.launch_address = base + 12
        """The source site of the operation that is being executed, or -1."""

    def site(self) -> int:
        """Return the host's current site."""
        return int(self._words[0])

    def set_site(self, site: int) -> None:
        """Set the host's current site."""
        self._words[0] = site

    def meeting(self) -> int:
        """Return the latest meeting's site."""
        return int(self._words[1])

    def watch(self, on: bool) -> None:
        """Tell checked host accesses whether device work is pending."""
        self._words[2] = int(on)

    def set_launch(self, site: int) -> None:
        """Set the site of the operation that is being executed."""
        self._words[3] = site

    def launch(self) -> int:
        """Return the site of the operation that is being executed, or -1."""
        return int(self._words[3])


STATE = State()
"""One per worker process."""
