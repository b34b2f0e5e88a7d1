"""Host memory registered with the device."""

from __future__ import annotations

from collections import Counter

from gpuasync_lsp.exec.worker.cuda.driver import Driver

PAGE = 4096
ALREADY_REGISTERED = 712
"""CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED."""


class PinnedMemory:
    """Registers host memory; a page shared by two buffers is registered with the driver only once.

    Source: cuMemHostRegister locks the range, in whole pages, and rejects a range that is registered
    already."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._pages: dict[int, range] = {}
        """Maps the address of each registered buffer to its page numbers."""
        self._uses: Counter[int] = Counter()
        self._starts: dict[int, int] = {}
        """Maps the start address of each range registered with the driver to the number of the first page
        after the range."""

    def register(self, address: int, size: int) -> None:
        """Pin those pages of a buffer that are not pinned yet."""
        pages = range(address // PAGE, (address + max(size, 1) - 1) // PAGE + 1)
        (error,) = self._driver.api.cuMemHostRegister(address, size, 0)
        if not error:
            self._starts[address] = pages.stop
        elif int(error) != ALREADY_REGISTERED or address in self._pages or not self._shares(pages):
            self._driver.failed("cuMemHostRegister", error)
            return
        else:
            self._register_free(pages)
        self._pages[address] = pages
        self._uses.update(pages)

    def unregister(self, address: int) -> None:
        """Unregister a buffer, and unpin each range that no other buffer uses."""
        pages = self._pages.pop(address, None)
        if pages is None:
            self._driver.call("cuMemHostUnregister", address)
            return
        self._uses.subtract(pages)
        for start, stop in [*self._starts.items()]:
            if not any(self._uses[page] > 0 for page in range(start // PAGE, stop)):
                del self._starts[start]
                self._driver.call("cuMemHostUnregister", start)

    def _shares(self, pages: range) -> bool:
        return any(self._uses[page] > 0 for page in pages)

    def _register_free(self, pages: range) -> None:
        free = [page for page in pages if self._uses[page] <= 0]
        # Buffers are contiguous, so the pages that no other buffer uses form one range.
        if free and self._driver.call("cuMemHostRegister", free[0] * PAGE, len(free) * PAGE, 0):
            self._starts[free[0] * PAGE] = free[-1] + 1
