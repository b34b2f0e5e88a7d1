"""Variables on the host's stack, kept in the arena: a kernel or the host may still use one when its function
has returned, and then a run reports it as other memory that has been freed."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.exec.worker.cpu.arena import Arena, OutOfMemory, Region
from gpuasync_lsp.exec.worker.cpu.checks import WRITE


class HostStack:
    """The variables of the functions that have not returned."""

    def __init__(self, arena: Arena, access: Callable[[int, int, int, int, str], bool]) -> None:
        """`access` checks and notes an access of the host: address, size, kind, site and who."""
        self._arena = arena
        self._access = access
        self._regions: list[Region] = []

    def allocate(self, on_stack: int, size: int, site: int) -> int:
        """Return the address of a variable; `on_stack` is the one that it has on the real stack."""
        if size <= 0:
            return on_stack
        try:
            region = self._arena.allocate(size, "stack", site)
        except OutOfMemory:
            return on_stack
        self._regions.append(region)
        return region.start

    def release(self, mark: int, site: int) -> None:
        """End all variables but the first `mark`: their function returns, or their scope ends."""
        while len(self._regions) > mark:
            region = self._regions.pop()
            self._access(region.start, region.size, WRITE, site, "the end of a stack variable")
            self._arena.free(region, site)
