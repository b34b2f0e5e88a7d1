"""Stack variables of the host, allocated in the arena.

An access after the function has returned, by the host or by a kernel, is reported like an access to freed
memory."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.exec.worker.cpu.arena import Arena, OutOfMemory, Region
from gpuasync_lsp.exec.worker.cpu.checks import WRITE


class HostStack:
    """The stack variables of the functions that are running."""

    def __init__(self, arena: Arena, access: Callable[[int, int, int, int, str], bool]) -> None:
        """`access` checks and records a host access, given its address, size, kind, site and actor."""
        self._arena = arena
        self._access = access
        self._regions: list[Region] = []

    def allocate(self, on_stack: int, size: int, site: int) -> int:
        """Return the address of a new variable; `on_stack` is its address on the processor's stack.

        `on_stack` is returned if the variable is empty or does not fit into the arena."""
        if size <= 0:
            return on_stack
        try:
            region = self._arena.allocate(size, "stack", site)
        except OutOfMemory:
            return on_stack
        self._regions.append(region)
        return region.start

    def release(self, mark: int, site: int) -> None:
        """Free all variables except the first `mark`, when a function returns or a scope ends."""
        while len(self._regions) > mark:
            region = self._regions.pop()
            self._access(region.start, region.size, WRITE, site, "the end of a stack variable")
            self._arena.free(region, site)
