"""Runs the blocks of a launch on several cores, each with its own copy of the kernel and its variables.

Generated code stores the state of a block (workgroup memory, arrivals at barriers) in variables of its
module, so a module runs one block at a time, and each further core needs a copy. A kernel is copied
only if blocks cannot observe each other: no atomic access to global memory, no persistent variable, no
output (`kernels/`).

The first blocks run on one core, to measure whether starting more cores is worthwhile. The other blocks are
distributed in shares of neighboring blocks; a core begins with a share when its copy is linked. Findings are
sorted by block, so they are the same as on one core; only the results of racing blocks may differ.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable

from gpuasync_lsp.exec.worker.cpu.kernel import CpuKernel, Entry
from gpuasync_lsp.exec.worker.cpu.parts import Part, enter
from gpuasync_lsp.exec.worker.findings import Findings
from gpuasync_lsp.processes import cores as available_cores

WORTH = 0.05
"""More cores are started if the remaining blocks would take at least this many seconds on one core."""

_FIRST = 64
"""The first blocks of a launch, one in this number, run on one core."""

_SHARES = 16
"""The remaining blocks are divided into this many shares per core, so that a slow core takes fewer."""

MOST = 16
"""The maximum number of cores, each of which needs a copy of the kernel and bit maps of accesses."""


class Cores:
    """Runs launches, on several cores if they take long enough."""

    def __init__(self, count: int | None = None) -> None:
        """`count` is the number of cores to use; None for all that are available to this process."""
        self.count = min(count if count is not None else available_cores(), MOST)
        self._parts = [Part(number) for number in range(self.count)]
        self._linking = threading.Lock()

    def run(
        self,
        kernel: CpuKernel,
        parameters: int,
        geometry: ctypes.Array[ctypes.c_int64],
        findings: Findings,
    ) -> None:
        """Run a launch; `geometry` is laid out as in `Entry`, with the whole grid as its blocks."""
        blocks = geometry[11]
        if kernel.copy is None or self.count < 2 or blocks < 2:
            kernel.call(parameters, ctypes.addressof(geometry))
            return
        first = max(blocks // _FIRST, 1)
        begun = time.perf_counter()
        _call(kernel.call, parameters, geometry, 0, first)
        if (time.perf_counter() - begun) * (blocks - first) / first < WORTH:
            _call(kernel.call, parameters, geometry, first, blocks)
            return
        copy = kernel.copy
        size = max((blocks - first) // (self.count * _SHARES), 1)
        begins = range(first, blocks, size)
        found = [Findings(findings.limit) for _ in begins]
        numbers = iter(range(len(begins)))
        errors: list[BaseException] = []

        def linked(part: Part) -> Entry:
            with self._linking:
                return copy(part)

        def work(part: Part, code: Callable[[Part], Entry]) -> None:
            enter(part)
            try:
                call = code(part)
                for number in numbers:  # Thread-safe: next() on a range iterator is atomic.
                    part.findings = found[number]
                    begin = begins[number]
                    _call(call, parameters, geometry, begin, min(begin + size, blocks))
            except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
                errors.append(error)
            finally:
                part.findings = None
                enter(None)

        others = self._parts[1:]
        threads = [threading.Thread(target=work, args=(part, linked), daemon=True) for part in others]
        for thread in threads:
            thread.start()
        work(self._parts[0], lambda part: kernel.call)
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        for share in found:
            findings.take(share)


def _call(
    call: Callable[[int, int], None],
    parameters: int,
    geometry: ctypes.Array[ctypes.c_int64],
    first: int,
    behind: int,
) -> None:
    mine = type(geometry)(*geometry)
    mine[10], mine[11] = first, behind
    call(parameters, ctypes.addressof(mine))
